/* The form of a rule set asks only what matters: questions that another answer has settled step back. */

const form = document.getElementById("rules-form");

const SHOWN_WHEN = {
  uma: ["uma_kind", "fixed"],
  uma_threshold: ["uma_kind", "floating"],
  uma_inclusive: ["uma_kind", "floating"],
  uma_rows: ["uma_kind", "floating"],
  oka_amount: ["oka_kind", "points"],
  rounding_basis: ["rounding_mode", "*"],
  rounding_unit: ["rounding_mode", "*"],
  rounding_top_absorbs: ["rounding_mode", "*"],
  bust_prize: ["bust_ends", "*"],
  bust_win: ["bust_ends", "*"],
  bust_shares: ["bust_ends", "*"],
  bust_other: ["bust_ends", "*"],
  chombo_amount: ["chombo_kind", "flat_each", "total"],
};

const NOTHING = ["", "none", "never"];

function settle() {
  const answers = new FormData(form);
  for (const [name, [question, ...wanted]] of Object.entries(SHOWN_WHEN)) {
    const answer = answers.get(question) ?? "";
    const part = form.querySelector(`[data-asks="${name}"]`);
    part.hidden = wanted[0] === "*" ? NOTHING.includes(answer) : !wanted.includes(answer);
  }
}

form?.addEventListener("change", settle);
if (form) {
  settle();
}

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
  bust_prize_in: ["bust_ends", "*"],
  bust_win: ["bust_ends", "*"],
  bust_draw: ["bust_ends", "*"],
  bust_shares: ["bust_draw", "rows"],
  bust_other: ["bust_ends", "*"],
  chombo_amount: ["chombo_kind", "flat_each", "total"],
  chombo_ledger: ["chombo_kind", "total"],
  house_extension_if_top_below: ["house_extension_next", "*"],
  house_extension_ends_at: ["house_extension_next", "*"],
  house_extension_inclusive: ["house_extension_next", "*"],
  house_extension_sudden_death: ["house_extension_next", "*"],
  house_extension_last_round: ["house_extension_next", "*"],
  house_agari_yame_top: ["house_agari_yame_who", "*"],
  house_tenpai_yame_top: ["house_tenpai_yame_who", "*"],
  house_multi_ron_honba: ["house_multi_ron", "double", "triple"],
  house_multi_ron_deposits: ["house_multi_ron", "double", "triple"],
  house_nagashi_value: ["house_nagashi_counts_as", "*"],
  house_nagashi_own_calls: ["house_nagashi_counts_as", "*"],
  house_nagashi_own_riichi: ["house_nagashi_counts_as", "*"],
  house_nagashi_honba_next: ["house_nagashi_counts_as", "*"],
};

const NOTHING = ["", "none", "never"];

function settle() {
  const answers = new FormData(form);
  for (const [name, [question, ...wanted]] of Object.entries(SHOWN_WHEN)) {
    const answer = answers.get(question) ?? "";
    const part = form.querySelector(`[data-asks="${name}"]`);
    const isSettled = wanted[0] === "*" ? NOTHING.includes(answer) : !wanted.includes(answer);
    const wasHidden = part.hidden;
    part.hidden = isSettled && !part.querySelector("[aria-invalid]");
    if (wasHidden && !part.hidden) {
      openAround(part);
    }
  }
  form.querySelector('[data-section="house-sanma"]').hidden = answers.get("players") !== "3";
}

function openWhatIsWrong(event) {
  openAround(event.target);
}

function openAround(field) {
  for (let fold = field?.closest("details"); fold; fold = fold.parentElement.closest("details")) {
    fold.open = true;
  }
}

function openWhatIsLinked(event) {
  const link = event.target.closest('a[href^="#id_"]');
  openAround(link && document.getElementById(link.hash.slice(1)));
}

/* Points only, until the details are opened; then they stay. */
let showsLines = false;

function foldLines() {
  const fold = document.querySelector("#example details");
  if (fold) {
    fold.open = showsLines;
    fold.addEventListener("toggle", () => {
      showsLines = fold.open;
    });
  }
}

form?.addEventListener("htmx:afterSwap", foldLines);
form?.addEventListener("change", settle);
form?.addEventListener("invalid", openWhatIsWrong, true);
form?.addEventListener("click", openWhatIsLinked);
if (form) {
  settle();
  foldLines();
}

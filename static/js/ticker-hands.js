/* From hand to hand, from nothing but the points: as tournaments/core/ticking.py says it, for phones without the network. */

const STICK = 1000;

/* The hands there are, in order: E1 to N4. */
export function everyHand(players) {
  return [..."ESWN"].flatMap((wind) => Array.from({ length: players }, (_, seat) => `${wind}${seat + 1}`));
}

export function dealerOf(now) {
  return Number(now.hand[1]) - 1;
}

export function atFirst(rules) {
  return { scores: Array(rules.players).fill(rules.start), hand: "E1", honba: 0, sticks: 0, riichi: [] };
}

export function isLast(hand, rules) {
  return everyHand(rules.players).indexOf(hand) >= rules.last;
}

/* Effective hands, from facts in order of arrival; a withdrawal may arrive before its fact. */
export function standing(facts) {
  const gone = new Set(facts.map((fact) => fact.takes_back));
  const byNumber = new Map();
  for (const fact of facts) {
    if (fact.scores && !gone.has(fact.key)) {
      byNumber.set(fact.number, fact);
    }
  }
  return [...byNumber.values()].sort((one, other) => one.number - other.number);
}

/* The table after a riichi at a seat, or as if there had been none. */
export function turned(now, seat) {
  const off = now.riichi.includes(seat);
  return {
    ...now,
    scores: now.scores.map((score, at) => (at === seat ? score + (off ? STICK : -STICK) : score)),
    sticks: now.sticks + (off ? -1 : 1),
    riichi: off ? now.riichi.filter((at) => at !== seat) : [...now.riichi, seat].sort(),
  };
}

export function withoutRiichi(now) {
  return now.scores.map((score, seat) => score + (now.riichi.includes(seat) ? STICK : 0));
}

/* How many sticks lie on the table after a hand; null where nothing makes sense of the scores. `scores`: null for one left out. */
export function sticksAfter(before, scores, rules) {
  if (!scores.includes(null)) {
    const left = (rules.players * rules.start - sum(scores)) / STICK;
    return Number.isInteger(left) && left >= 0 && left <= 99 ? left : null;
  }
  return isDraw(before, filled(scores, before.sticks, rules), rules) ? before.sticks : 0;
}

export function filled(scores, sticks, rules) {
  const rest = rules.players * rules.start - STICK * sticks - sum(scores);
  return scores.map((score) => (score === null ? rest : score));
}

/* The table after a hand with these scores: whose deal it is, and with how many honba. */
export function afterHand(before, scores, sticks, rules) {
  const moved = movedFrom(before, scores);
  const dealer = dealerOf(before);
  const keeps = rules.keeps[before.hand[0]] ?? rules.keeps.S;
  let stays;
  let honba;
  if (sticks === before.sticks && isDraw(before, scores, rules)) {
    const ready = moved[dealer] > 0 || (moved.every((each) => each === 0) && before.riichi.includes(dealer));
    stays = ready && keeps === "tenpai";
    honba = rules.honbaOnDraw ? before.honba + 1 : 0;
  } else {
    stays = moved[dealer] > 0 && keeps !== "never";
    honba = stays ? before.honba + 1 : 0;
  }
  return { scores, hand: stays ? before.hand : nextHand(before.hand, rules.players), honba: Math.min(honba, 99), sticks, riichi: [] };
}

export function nextHand(hand, players) {
  const hands = everyHand(players);
  return hands[Math.min(hands.indexOf(hand) + 1, hands.length - 1)];
}

function sum(scores) {
  return scores.reduce((total, score) => total + (score ?? 0), 0);
}

function movedFrom(before, scores) {
  return scores.map((score, seat) => score - before.scores[seat]);
}

/* Whether points move as they do at a draw: from those who are not ready to those who are. */
function isDraw(before, scores, rules) {
  const moved = movedFrom(before, scores);
  if (moved.every((each) => each === 0)) {
    return true;
  }
  const ready = moved.filter((each) => each > 0).length;
  const gain = Math.floor(rules.notenPool / ready);
  const loss = Math.floor(rules.notenPool / (rules.players - ready));
  return ready > 0 && ready < rules.players && moved.every((each) => each === gain || each === -loss);
}

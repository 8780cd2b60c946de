/* Timers: computed from the server's times and clock, so they survive sleep and reload. */

const TICK = 250;

let offset = 0;
let isLoud = false;
let sound = null;
const heard = new Set();

/* Returns the server's time in milliseconds, corrected by half the round trip. */
export function setClock(serverNow, asked = Date.now()) {
  const now = Number(serverNow);
  if (now) {
    offset = now + (Date.now() - asked) / 2 - Date.now();
  }
  tick();
}

function text(left) {
  const seconds = Math.max(0, Math.ceil(left / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

function beep() {
  for (const [number, start] of [0, 0.5, 1].entries()) {
    const tone = sound.createOscillator();
    const volume = sound.createGain();
    tone.frequency.value = number === 2 ? 1320 : 880;
    volume.gain.value = 0.3;
    tone.connect(volume).connect(sound.destination);
    tone.start(sound.currentTime + start);
    tone.stop(sound.currentTime + start + 0.35);
  }
}

function tick() {
  for (const timer of document.querySelectorAll("[data-timer]")) {
    const ends = Number(timer.dataset.ends);
    const left = ends ? ends - (Date.now() + offset) : Number(timer.dataset.left);
    const face = timer.querySelector(".clock-face");
    const said = ends && left <= 0 ? timer.dataset.textOver : text(left);
    if (face.textContent !== said) {
      face.textContent = said;
    }
    timer.classList.toggle("is-over", left <= 0);
    if (ends && left <= 0 && left > -5000 && !heard.has(ends)) {
      heard.add(ends);
      if (isLoud) {
        beep();
      }
    }
  }
}

for (const button of document.querySelectorAll("[data-sound]")) {
  button.hidden = false;
  button.addEventListener("click", () => {
    isLoud = !isLoud;
    sound ??= new AudioContext();
    sound.resume();
    button.setAttribute("aria-pressed", String(isLoud));
  });
}

document.addEventListener("visibilitychange", tick);
setInterval(tick, TICK);
tick();

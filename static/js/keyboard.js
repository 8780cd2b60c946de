/* Says on the root element whether the phone's keyboard leaves little room, so that the page can draw in (entry.css). */

const ROOM = 480;

const seen = window.visualViewport;

function measure() {
  document.documentElement.toggleAttribute("data-low", seen.height * seen.scale < ROOM);
}

if (seen) {
  seen.addEventListener("resize", measure);
  measure();
}

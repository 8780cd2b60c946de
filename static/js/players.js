/* Finds players while a name is typed, with the server's own search; without script the button does the same. */

const field = document.getElementById("q");
let timer = 0;

field?.addEventListener("input", () => {
  clearTimeout(timer);
  timer = setTimeout(find, 200);
});

async function find() {
  const wanted = field.value;
  const answer = await fetch(`?q=${encodeURIComponent(wanted)}`);
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const found = page.getElementById("found");
  if (found && wanted === field.value) {
    document.getElementById("found").replaceWith(found);
  }
}

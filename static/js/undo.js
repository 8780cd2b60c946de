/* The minutes for undoing a result with one tap. The server counts too. */

for (const form of document.querySelectorAll("[data-undo]")) {
  const place = form.querySelector("[data-left]");
  const end = performance.now() + Number(form.dataset.undo) * 1000;
  const show = () => {
    const left = Math.ceil((end - performance.now()) / 1000);
    form.hidden = left <= 0;
    place.textContent = `(${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")})`;
    if (left > 0) {
      setTimeout(show, 250);
    }
  };
  show();
}

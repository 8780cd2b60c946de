/* Photos are reduced on the phone, so that sending takes a second; otherwise the server takes the original. A
   missing picture is replaced by a sentence. */

const MAX_SIDE = 1600;
const QUALITY = 0.8;
const PREVIEW = 160;
const SMALL_ENOUGH = 400_000;

document.addEventListener("change", (event) => {
  if (event.target.matches?.("input[data-photo]")) {
    shrink(event.target);
  }
});

async function shrink(field) {
  const [file] = field.files;
  const state = field.closest(".photo-field")?.querySelector("[data-photo-state]");
  state?.replaceChildren();
  if (!file || file.name === "small.jpg") {
    return;
  }
  const canvas = await drawn(file, MAX_SIDE).catch(() => null);
  const small = canvas && (await encoded(canvas));
  if (field.files[0] !== file) {
    return;
  }
  const better = small && (small.size < file.size || file.size > SMALL_ENOUGH);
  if (better) {
    put(field, new File([small], "small.jpg", { type: "image/jpeg" }));
  }
  const words = better ? field.dataset.small : field.dataset.other;
  const size = Math.max(1, Math.round((better ? small.size : file.size) / 1000));
  state?.append(words.replace("{size}", size));
  if (canvas) {
    state?.append(await drawn(canvas, PREVIEW));
  }
}

/* Browsers turn a photo upright by what its file says. */
async function drawn(source, maxSide) {
  const picture = await createImageBitmap(source);
  const scale = Math.min(1, maxSide / Math.max(picture.width, picture.height));
  const canvas = document.createElement("canvas");
  canvas.width = Math.max(1, Math.round(picture.width * scale));
  canvas.height = Math.max(1, Math.round(picture.height * scale));
  const brush = canvas.getContext("2d");
  brush.fillStyle = "white";
  brush.fillRect(0, 0, canvas.width, canvas.height);
  brush.drawImage(picture, 0, 0, canvas.width, canvas.height);
  picture.close();
  return canvas;
}

function encoded(canvas) {
  return new Promise((done) => {
    canvas.toBlob(done, "image/jpeg", QUALITY);
  });
}

function put(field, file) {
  const files = new DataTransfer();
  files.items.add(file);
  field.files = files.files;
}

/* Pictures may lie in a store that does not answer now. */
function toldAway(picture) {
  const place = picture.closest("li, .photo-frame");
  place?.querySelector(".photo-away")?.removeAttribute("hidden");
  (picture.closest("a") ?? picture).remove();
}

for (const picture of document.querySelectorAll(".photos img")) {
  picture.addEventListener("error", () => toldAway(picture));
  if (picture.complete && picture.naturalWidth === 0) {
    // It may have failed before anybody listened, or wait to be scrolled to.
    picture.setAttribute("src", picture.getAttribute("src"));
  }
}

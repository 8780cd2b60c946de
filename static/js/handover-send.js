/* A result as a code for another phone, behind the "#" of an address, which servers never see. */

import { pack } from "./handover-code.js";
import { copyOf } from "./i18n.js";
import { note } from "./outbox.js";

/* Shows the code in a dialog; the result stays on this phone too, and arrives once whichever phone is quicker. */
export async function show(record, opener) {
  const [{ correction, generate }, { toSvg }] = await Promise.all([
    import("../vendor/lean-qr/qr.js"),
    import("../vendor/lean-qr/svg.js"),
  ]);
  const dialog = copyOf("handover-dialog");
  const url = new URL(dialog.dataset.url, location.href);
  url.hash = pack(record);
  const code = generate(url.href, { minCorrectionLevel: correction.L });
  const picture = toSvg(code, document, { on: "black", off: "white" });
  picture.setAttribute("role", "img");
  picture.setAttribute("aria-label", dialog.dataset.label);
  dialog.querySelector("[data-code]").append(picture);
  dialog.querySelector("[data-address]").value = url.href;
  dialog.querySelector("[data-close]").addEventListener("click", () => dialog.close());
  dialog.addEventListener("close", () => {
    dialog.remove();
    opener?.focus();
  });
  document.body.append(dialog);
  dialog.showModal();
  await note(record.client_key, { handed: true });
}

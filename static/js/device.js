/* The number by which one phone is told from another: made up by the phone itself, and nothing else about it. */

const KEY = "tenbo-device";

export function device() {
  try {
    let known = localStorage.getItem(KEY);
    if (!/^[0-9a-f]{16,40}$/.test(known ?? "")) {
      known = [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
      localStorage.setItem(KEY, known);
    }
    return known;
  } catch {
    return "";
  }
}

/* A random id of the phone, its only identification. */

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

/* Kana, letter case and width make no difference; league/core/readings.py folds alike. */
export function folded(text) {
  const plain = text.normalize("NFKC").toLowerCase().replace(/\s+/gu, "");
  return plain.replace(/[ァ-ヶ]/g, (kana) => String.fromCharCode(kana.charCodeAt(0) - 0x60));
}

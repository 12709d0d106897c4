const ASCII = /^[\x20-\x7e]*$/;
const EMOJI = /\p{Emoji_Presentation}|\ufe0f/u;
const NO_WIDTH = /^[\p{Mn}\p{Me}\p{Cf}]+$/u;
/** Chinese, Japanese, Korean and full-width forms take two columns. */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1b000}-\u{1b2ff}\u{20000}-\u{3fffd}]/u;

/** Made when it is needed: that takes 20 ms, and most texts are ASCII. */
let graphemes: Intl.Segmenter | undefined;

/** Columns that a text takes on a terminal. */
export function displayWidth(text: string): number {
  if (ASCII.test(text)) return text.length;
  graphemes ??= new Intl.Segmenter(undefined, { granularity: "grapheme" });
  let width = 0;
  for (const { segment } of graphemes.segment(text)) {
    width += NO_WIDTH.test(segment) ? 0 : WIDE.test(segment) || EMOJI.test(segment) ? 2 : 1;
  }
  return width;
}

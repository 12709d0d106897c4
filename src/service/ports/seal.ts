/** Keeps secrets readable for this installation only. The context binds a sealed text to its place. */
export interface Seal {
  seal(text: string, context: string): Uint8Array;
  open(sealed: Uint8Array, context: string): string;
  /** Equal for the same text and context. Without the key it reveals nothing about the text. */
  fingerprint(text: string, context: string): Uint8Array;
}

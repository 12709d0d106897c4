/** Keeps secrets readable only for this installation. The context binds a sealed text to its place. */
export interface Seal {
  seal(text: string, context: string): Uint8Array;
  open(sealed: Uint8Array, context: string): string;
  /** The same for the same text and context; says nothing about the text to whoever lacks the key. */
  fingerprint(text: string, context: string): Uint8Array;
}

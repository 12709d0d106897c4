/** The part of the independent implementation of RFC 8188 and RFC 8291 that tests decrypt with. */
declare module "http_ece" {
  import type { ECDH } from "node:crypto";

  interface Decryption {
    readonly version: "aes128gcm";
    readonly privateKey: ECDH;
    readonly authSecret: string;
  }
  const ece: { readonly decrypt: (body: Buffer, how: Decryption) => Buffer };
  export default ece;
}

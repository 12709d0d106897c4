import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";

const FOLDER_MODE = 0o700;
const KEY_MODE = 0o400;
const CERTIFICATE_MODE = 0o444;

export interface KeyPair {
  readonly privateKey: string;
  readonly certificate: string;
}

/** A key and its certificate in one folder. The pair exists only when both files do. */
export function readKeyPair(folder: string, name: string): KeyPair | undefined {
  const { key, certificate } = paths(folder, name);
  if (!existsSync(certificate)) return undefined;
  if (!existsSync(key))
    throw new Error(`${certificate} is there without ${key}: restore the key or remove the certificate`);
  return { privateKey: readFileSync(key, "utf8"), certificate: readFileSync(certificate, "utf8") };
}

/** The certificate is written last, so that a crash between the two leaves no pair. */
export function writeKeyPair(folder: string, name: string, pair: KeyPair): void {
  mkdirSync(folder, { recursive: true, mode: FOLDER_MODE });
  const { key, certificate } = paths(folder, name);
  rmSync(certificate, { force: true });
  replace(key, pair.privateKey, KEY_MODE);
  replace(certificate, pair.certificate, CERTIFICATE_MODE);
  sync(folder);
}

const paths = (folder: string, name: string) => ({
  key: join(folder, `${name}.key`),
  certificate: join(folder, `${name}.crt`),
});

function replace(path: string, text: string, mode: number): void {
  const draft = `${path}.new`;
  rmSync(draft, { force: true });
  const file = openSync(draft, "wx", mode);
  try {
    writeSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(draft, path);
  sync(dirname(path));
}

function sync(folder: string): void {
  const handle = openSync(folder, "r");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

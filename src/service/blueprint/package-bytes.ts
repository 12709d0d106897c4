// Uploads come as the bytes themselves, or as a form with one file, which is how `curl -F data=@file.zip` sends them.
import { refuse } from "#core/app-error.ts";

interface Upload {
  readonly body: Uint8Array;
  readonly contentType: string;
}

const BOUNDARY = /^multipart\/form-data\s*;(?:.*;)?\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i;

export function packageBytes({ body, contentType }: Upload): Uint8Array {
  if (!/^multipart\/form-data\b/i.test(contentType)) return body;
  const match = BOUNDARY.exec(contentType);
  const boundary = match?.[1] ?? match?.[2];
  if (boundary === undefined) throw refuse("invalid_body", "the form names no boundary in its content type");
  const form = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const opening = Buffer.from(`--${boundary}\r\n`);
  const start = form.indexOf(opening);
  const headEnd = form.indexOf("\r\n\r\n", start);
  const end = form.indexOf(`\r\n--${boundary}`, headEnd);
  if (start === -1 || headEnd === -1 || end === -1) throw refuse("invalid_body", "the form is cut short or malformed");
  if (form.indexOf(opening, end) !== -1) throw refuse("invalid_body", "the form must have one part: the package");
  return form.subarray(headEnd + 4, end);
}

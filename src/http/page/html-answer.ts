import { createHash } from "node:crypto";
import { RawAnswer } from "#service/operation/answer.ts";

/** A page without scripts whose only style is the one inside it: the policy names that style by its hash. */
export function htmlAnswer(html: string): RawAnswer {
  const style = /<style>([\s\S]*?)<\/style>/.exec(html)?.[1] ?? "";
  const hash = createHash("sha256").update(style).digest("base64");
  const policy = `default-src 'none'; style-src 'sha256-${hash}'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
  return new RawAnswer("text/html; charset=utf-8", html, { "content-security-policy": policy });
}

export function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}

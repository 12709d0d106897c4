// Texts that would run as a script, or become an element, if a page put them anywhere but into text. Each element carries
// a mark by which it is found, whether or not the content security policy keeps its script from running.
export const MARK = "data-planted";

const RUN = "document.body.setAttribute('data-ran',1),alert(1)";

export const PAYLOADS: readonly string[] = [
  `<script ${MARK}>${RUN}</script>`,
  `<img ${MARK} src=x onerror="${RUN}">`,
  `<svg ${MARK} onload="${RUN}">`,
  `"><img ${MARK} src=x onerror=${RUN}>`,
  `'><img ${MARK} src=x onerror=${RUN}>`,
  `</title><img ${MARK} src=x onerror=${RUN}>`,
  `</style><img ${MARK} src=x onerror=${RUN}>`,
  `</textarea><img ${MARK} src=x onerror=${RUN}>`,
  `--><img ${MARK} src=x onerror=${RUN}>`,
  `<iframe ${MARK} srcdoc="<script>parent.${RUN}</script>"></iframe>`,
  `<a ${MARK} href="javascript:${RUN}">x</a>`,
  `<details ${MARK} open ontoggle="${RUN}">`,
  `<math><mtext><table><mglyph><style><img ${MARK} src=x onerror=${RUN}>`,
  `<form ${MARK} action="javascript:${RUN}"><button autofocus onfocus="${RUN}">`,
  `<base ${MARK} href="//evil.example/">`,
  `<link ${MARK} rel=stylesheet href="//evil.example/x.css">`,
  `<meta ${MARK} http-equiv=refresh content="0;url=//evil.example/">`,
  `javascript:${RUN}`,
  `{{constructor.constructor('${RUN}')()}}`,
  `\${${RUN}}`,
  `{@html '<img ${MARK} src=x onerror=${RUN}>'}`,
  `<b ${MARK}>bold</b>`,
  "\u202egnitirw fo noitcerid eht sesrever",
];

let next = 0;

/** The payloads one after the other, so that each place of a screen gets another one. */
export function payload(): string {
  next += 1;
  return PAYLOADS[next % PAYLOADS.length] ?? "";
}

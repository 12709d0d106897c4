// What a thumb needs, measured in the browser: targets that are large enough, pills on one line, rows as cards of two lines.
import type { Page } from "playwright-core";

/** Targets have this size in pixels; smaller ones need room around them, and have at least the second size. */
const FULL = 44;
const LEAST = 24;
/** Sizes are fractions of pixels. */
const SLACK = 0.5;

const INTERACTIVE =
  "a[href], button, select, textarea, summary, input:not([type=hidden]), [role=button], [role=tab], [role=option], [role=slider]";

/** Targets that are too small for a thumb, as texts. A link within a sentence may be as high as its line. */
export function smallTargets(page: Page): Promise<readonly string[]> {
  return page.evaluate<readonly string[]>(
    `(${findSmallTargets.toString()})(${JSON.stringify([INTERACTIVE, FULL, LEAST, SLACK])})`,
  );
}

/** Pills that are broken into lines, and rows that are higher than two lines. */
export function brokenRows(page: Page): Promise<readonly string[]> {
  return page.evaluate<readonly string[]>(`(${findBrokenRows.toString()})()`);
}

// Both run in the page: they have no imports and no types of the browser.
/* biome-ignore-start lint/suspicious/noExplicitAny: the elements of a page that this program does not know */
function findSmallTargets([interactive, full, least, slack]: [string, number, number, number]): string[] {
  const { document, getComputedStyle } = globalThis as any;
  const isSeen = (one: any) => one.checkVisibility({ visibilityProperty: true, opacityProperty: true });
  /** What is pressed: a card for the link that covers it, a label for its hidden input. */
  const pressed = (one: any): any => {
    if (one.tagName === "INPUT" && one.closest("label")) return one.closest("label");
    const cover = getComputedStyle(one, "::after");
    if (cover.position !== "absolute" || cover.content === "none") return one;
    let holder = one;
    while (holder.parentElement && getComputedStyle(holder).position === "static") holder = holder.parentElement;
    return holder;
  };
  const isInSentence = (one: any) =>
    one.tagName === "A" &&
    getComputedStyle(one).display === "inline" &&
    one.closest("p, li, dd, span, .small") !== null &&
    one.closest("p, li, dd, span, .small").textContent.trim().length > one.textContent.trim().length + 3;
  const found = [...document.querySelectorAll(interactive)]
    .filter(
      (one: any) =>
        isSeen(one) &&
        getComputedStyle(one).pointerEvents !== "none" &&
        !one.classList.contains("skip") &&
        one.tabIndex >= 0,
    )
    .map((one: any) => ({ one, box: pressed(one).getBoundingClientRect() }))
    .filter(({ box }) => box.width > 0 && box.bottom > 0 && box.right > 0);
  const small = found.filter(({ one, box }) => !isInSentence(one) && Math.min(box.width, box.height) < full - slack);
  const hasRoom = ({ one, box }: any) => {
    // Where it is says when it was: it cannot move out of the way.
    if (one.matches(".mark")) return true;
    const [x, y] = [(box.left + box.right) / 2, (box.top + box.bottom) / 2];
    return !found.some(
      (other) =>
        !other.one.contains(one) &&
        !one.contains(other.one) &&
        pressed(other.one) !== pressed(one) &&
        Math.abs((other.box.left + other.box.right) / 2 - x) < full / 2 + other.box.width / 2 - slack &&
        Math.abs((other.box.top + other.box.bottom) / 2 - y) < full / 2 + other.box.height / 2 - slack,
    );
  };
  return small
    .filter((target) => Math.min(target.box.width, target.box.height) < least - slack || !hasRoom(target))
    .map(({ one, box }) => {
      const name = (one.getAttribute("aria-label") ?? one.textContent).trim().slice(0, 30);
      return `${one.tagName.toLowerCase()}.${one.className} "${name}" ${Math.round(box.width)}x${Math.round(box.height)}`;
    });
}

function findBrokenRows(): string[] {
  const { document, getComputedStyle } = globalThis as any;
  const seen = (selector: string) =>
    [...document.querySelectorAll(selector)].filter((one: any) => one.checkVisibility());
  const pills = seen(".badge").filter(
    (one: any) => one.getBoundingClientRect().height > 1.9 * Number.parseFloat(getComputedStyle(one).lineHeight),
  );
  const rows = seen("tr.card:not(.open)").filter((one: any) => one.getBoundingClientRect().height > 84);
  return [...pills, ...rows].map(
    (one: any) =>
      `${one.tagName} ${one.textContent.trim().replace(/\s+/g, " ").slice(0, 60)} is ${Math.round(one.getBoundingClientRect().height)} px high`,
  );
}
/* biome-ignore-end lint/suspicious/noExplicitAny: see above */

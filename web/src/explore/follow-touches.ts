// Fingers on a chart: two of them move and stretch it, and one that stays where it is shows the values below it. One that
// moves at once scrolls the page, as everywhere.
import { type Fingers, pinchedRange } from "./pinch.ts";
import type { Range } from "./range.ts";

type Chart = {
  /** The place of a finger in the plot. */
  readonly place: (clientX: number) => number;
  /** What is seen now. */
  readonly range: () => Range;
  readonly width: () => number;
  readonly look: (range: Range) => void;
  /** Puts the cursor there. */
  readonly point: (x: number) => void;
};

const LONG_PRESS_MS = 350;
/** A finger is never quite still. */
const STILL_PX = 10;

export function followTouches(element: HTMLElement, chart: Chart): () => void {
  let pinch: { readonly fingers: Fingers; readonly range: Range } | undefined;
  let press: { readonly x: number; readonly y: number; readonly timer: ReturnType<typeof setTimeout> } | undefined;
  let isPointing = false;

  const fingersOf = ({ touches: [first, second] }: TouchEvent): Fingers | undefined =>
    first && second && [chart.place(first.clientX), chart.place(second.clientX)];
  const release = () => {
    clearTimeout(press?.timer);
    press = undefined;
    isPointing = false;
  };

  function onStart(event: TouchEvent) {
    release();
    const fingers = fingersOf(event);
    pinch = fingers && { fingers, range: chart.range() };
    const [only] = event.touches;
    if (fingers !== undefined || only === undefined) return;
    const { clientX: x, clientY: y } = only;
    const timer = setTimeout(() => {
      isPointing = true;
      chart.point(chart.place(x));
    }, LONG_PRESS_MS);
    press = { x, y, timer };
  }

  function onMove(event: TouchEvent) {
    const fingers = fingersOf(event);
    const [only] = event.touches;
    if (fingers !== undefined && pinch !== undefined) {
      event.preventDefault();
      chart.look(pinchedRange(pinch.range, pinch.fingers, fingers, chart.width()));
    } else if (isPointing && only !== undefined) {
      event.preventDefault();
      chart.point(chart.place(only.clientX));
    } else if (press !== undefined && only !== undefined) {
      if (Math.hypot(only.clientX - press.x, only.clientY - press.y) > STILL_PX) release();
    }
  }

  function onEnd(event: TouchEvent) {
    // The click that would follow a long press would open what is below the finger.
    if (isPointing && event.cancelable) event.preventDefault();
    release();
    if (event.touches.length < 2) pinch = undefined;
  }

  element.addEventListener("touchstart", onStart, { passive: true });
  element.addEventListener("touchmove", onMove, { passive: false });
  element.addEventListener("touchend", onEnd);
  element.addEventListener("touchcancel", onEnd);
  return () => {
    release();
    element.removeEventListener("touchstart", onStart);
    element.removeEventListener("touchmove", onMove);
    element.removeEventListener("touchend", onEnd);
    element.removeEventListener("touchcancel", onEnd);
  };
}

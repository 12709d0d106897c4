import { tick } from "svelte";

/** Brings the first control that is refused into view, so that nobody has to look for it. */
export async function focusFirstProblem(form: HTMLElement | undefined): Promise<void> {
  await tick();
  const found = form?.querySelector<HTMLElement>("[aria-invalid='true'], fieldset:has(.error) input");
  const control = found?.matches("fieldset") === true ? found.querySelector<HTMLElement>("input") : found;
  control?.focus();
}

import type { Alert } from "#client/resources.ts";

/** What the device said about an alert: its text, or its object as JSON. */
export function renderAlertDetails({ details }: Alert): string | undefined {
  return details === undefined || typeof details === "string" ? details : JSON.stringify(details);
}

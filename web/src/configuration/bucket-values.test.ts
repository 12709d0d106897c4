import { expect, test } from "vitest";
import { readManifest } from "#web/data/manifest.ts";
import { draftOf, readDraft } from "#web/forms/draft.ts";
import { formFields } from "#web/forms/form-field.ts";
import { shownValues, storedSecrets, writtenValues } from "./bucket-values.ts";

const { configuration } = readManifest({
  configuration: {
    link: {
      parameters: {
        address: { type: "string", required: true },
        password: { type: "string", sensitive: true, required: true, default: "secret" },
        pin: { type: "string", sensitive: true },
      },
    },
  },
});
const fields = formFields(configuration.get("link")?.parameters ?? new Map());
const read = { address: "192.0.2.7", password: "***" };

test("a secret value is never in the form, and stays when nothing is typed", () => {
  const stored = storedSecrets(fields, read);
  expect([...stored]).toEqual(["password"]);
  const secretless = fields.map((field) => (field.sensitive ? { ...field, default: undefined } : field));
  const draft = draftOf(secretless, shownValues(fields, read), "en");
  expect({ ...draft }).toEqual({ address: "192.0.2.7", password: "", pin: "" });
  const { values, problems } = readDraft(fields, draft, { locale: "en", stored });
  expect(problems.size).toBe(0);
  expect(writtenValues(values, new Set())).toEqual({ address: "192.0.2.7" });
});

test("a stored secret value can be deleted", () => {
  expect(writtenValues({ address: "a" }, new Set(["pin"]))).toEqual({ address: "a", pin: null });
});

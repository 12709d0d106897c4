import { expect, test } from "vitest";
import type { Profile, ProfileField } from "#core/blueprint/profile.ts";
import { makeEntry } from "../support/records.ts";
import { auditIds, expectNothingWithoutItsTrail, expectRefusal, type OpenStores } from "./stores.ts";

const LIMITS = { profiles: 5, bytes: 20_000 };

const field = (fields: Partial<ProfileField> = {}): ProfileField => ({
  type: "float",
  displayName: "Field",
  description: "",
  unit: "W",
  enum: undefined,
  ...fields,
});

const makeProfile = (id: string, fields: Partial<Profile> = {}): Profile => ({
  id,
  displayName: "Profile",
  description: "What it promises.",
  isDraft: false,
  implements: [],
  properties: new Map(),
  telemetry: new Map(),
  commands: new Map(),
  controls: new Map(),
  ...fields,
});

export function profileStoreContract(open: OpenStores): void {
  test("profiles are found as they were stored, ordered by id", async () => {
    const { uploadedProfiles } = await open();
    const rich = makeProfile("energy.battery", {
      implements: ["lib.a", "lib.b"],
      properties: new Map([["constructor", field({ type: "string", unit: undefined })]]),
      telemetry: new Map([
        [
          "b",
          field({
            enum: [2, 1].map((value) => ({
              value,
              displayName: `No ${value}`,
              description: undefined,
              color: undefined,
            })),
          }),
        ],
        ["a", field({ displayName: undefined })],
      ]),
      commands: new Map([
        [
          "run",
          {
            displayName: "Run",
            description: "",
            arguments: new Map([["power", { ...field(), required: true }]]),
            response: new Map([["any name", field()]]),
          },
        ],
      ]),
    });
    const draft = makeProfile("a.draft", { isDraft: true, displayName: undefined });
    expect(await uploadedProfiles.all()).toEqual([]);
    expect(await uploadedProfiles.put([rich, draft], LIMITS, makeEntry())).toEqual(["energy.battery", "a.draft"]);
    expect(await uploadedProfiles.all()).toEqual([draft, rich]);
    expect([...((await uploadedProfiles.all())[1]?.telemetry.keys() ?? [])]).toEqual(["b", "a"]);
  });

  test("a profile that is no draft never changes, a draft does, and one refusal stores nothing", async () => {
    const stores = await open();
    const { uploadedProfiles } = stores;
    const [draft, other] = [makeProfile("draft", { isDraft: true }), makeProfile("other")];
    await uploadedProfiles.put([makeProfile("kept"), draft], LIMITS, makeEntry());
    const before = await auditIds(stores);
    const changed = [makeProfile("kept", { description: "Else." }), makeProfile("draft"), other];
    await expect(uploadedProfiles.put(changed, LIMITS, makeEntry())).rejects.toMatchObject({
      name: "AppError",
      refusals: [{ code: "conflict", message: expect.stringContaining("kept"), details: { profile: "kept" } }],
    });
    await expectRefusal(
      uploadedProfiles.put([makeProfile("kept", { isDraft: true })], LIMITS, makeEntry()),
      "conflict",
    );
    expect([await uploadedProfiles.all(), await auditIds(stores)]).toEqual([[draft, makeProfile("kept")], before]);
    // A draft may be published. After that it stays as it is.
    expect(await uploadedProfiles.put([makeProfile("draft"), makeProfile("kept")], LIMITS, makeEntry())).toEqual([
      "draft",
    ]);
    await expectRefusal(uploadedProfiles.put([draft], LIMITS, makeEntry()), "conflict");
    expect(await auditIds(stores)).toHaveLength(before.length + 1);
  });

  test("the revision rises with what changes, and only with that", async () => {
    const { uploadedProfiles } = await open();
    const revisions = [await uploadedProfiles.revision()];
    for (const description of ["one", "one", "two"]) {
      await uploadedProfiles.put([makeProfile("a", { isDraft: true, description })], LIMITS, makeEntry());
      revisions.push(await uploadedProfiles.revision());
    }
    const [none = -1, first = -1, same = -1, second = -1] = revisions;
    expect([none < first, first === same, same < second]).toEqual([true, true, true]);
  });

  test("too many profiles, and too long ones, are refused as a whole", async () => {
    const { uploadedProfiles } = await open();
    const many = Array.from({ length: 6 }, (_, i) => makeProfile(`p${i}`));
    await expectRefusal(uploadedProfiles.put(many, LIMITS, makeEntry()), "conflict");
    const long = makeProfile("long", { description: "x".repeat(20_001) });
    await expectRefusal(uploadedProfiles.put([makeProfile("short"), long], LIMITS, makeEntry()), "conflict");
    expect([await uploadedProfiles.all(), await uploadedProfiles.revision()]).toEqual([[], 0]);
    await uploadedProfiles.put(many.slice(0, 5), LIMITS, makeEntry());
    await expectRefusal(uploadedProfiles.put(many.slice(5), LIMITS, makeEntry()), "conflict");
  });

  test("of two uploads of one id at once, the first counts", async () => {
    const { uploadedProfiles } = await open();
    const puts = ["one", "two", "three"].map((description) =>
      uploadedProfiles.put([makeProfile("same", { description })], LIMITS, makeEntry()),
    );
    const outcomes = (await Promise.allSettled(puts)).map(({ status }) => status);
    expect(outcomes.filter((status) => status === "fulfilled")).toHaveLength(1);
    expect(await uploadedProfiles.all()).toHaveLength(1);
  });

  test("profiles whose audit entry cannot be stored are not stored either", async () => {
    const stores = await open();
    await stores.uploadedProfiles.put([makeProfile("a")], LIMITS, makeEntry());
    await expectNothingWithoutItsTrail(stores, (entry) =>
      stores.uploadedProfiles.put([makeProfile("b")], LIMITS, entry),
    );
    expect(await stores.uploadedProfiles.all()).toHaveLength(1);
  });
}

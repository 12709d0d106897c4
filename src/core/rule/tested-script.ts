/** A rule that scenarios test. */
export interface TestedScript {
  /** As it is shown, such as `surplus.yml`. */
  readonly name: string;
  readonly language: "yaml" | "lua";
  readonly text: string;
  /** Of a script that runs as a whole again and again. */
  readonly intervalMs: number | undefined;
}

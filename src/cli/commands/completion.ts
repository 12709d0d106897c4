import { type Command, Option } from "commander";
import type { Cli } from "#cli/cli.ts";
import { addExamples } from "#cli/client-command.ts";

/** Each script asks `busbar __complete` for the words that may stand where the cursor is. */
const SCRIPTS = {
  bash: `_busbar() {
  local IFS=$'\\n'
  COMPREPLY=($("\${COMP_WORDS[0]}" __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _busbar busbar
`,
  zsh: `#compdef busbar
_busbar() {
  local -a found
  found=("\${(@f)$("\${words[1]}" __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n "\${found[1]}" ]]; then compadd -Q -- "\${found[@]}"; else _files; fi
}
compdef _busbar busbar
`,
  fish: `function __busbar_complete
  set -l words (commandline -opc) (commandline -ct)
  $words[1] __complete -- $words[2..-1] 2>/dev/null
end
complete -c busbar -f -a '(__busbar_complete)'
`,
} as const;

const PLACES = `
Where to put it:
  bash  busbar completion bash > ~/.local/share/bash-completion/completions/busbar
  zsh   busbar completion zsh > "\${fpath[1]}/_busbar"
  fish  busbar completion fish > ~/.config/fish/completions/busbar.fish

Devices, sites and commands are completed with the names that the server has at that moment.`;

export function addCompletionCommand(completion: Command, cli: Cli): void {
  completion
    .addArgument(completion.createArgument("<shell>", "bash, zsh or fish").choices(Object.keys(SCRIPTS)))
    .addHelpText("after", PLACES)
    .action((shell: keyof typeof SCRIPTS) => void cli.stdout.write(SCRIPTS[shell]));
  addExamples(completion, "completion bash", "completion fish");
}

/** Options that a shell would not show with a space in front are left alone: this verb is for scripts only. */
export function addCompleteCommand(
  complete: Command,
  cli: Cli,
  build: (argv: readonly string[]) => Promise<Command>,
): void {
  complete
    .argument("[words...]", "what was typed so far, the word at the cursor last")
    .addOption(new Option("--help").hideHelp())
    .action(async (words: readonly string[]) => {
      const { candidates } = await import("#cli/completion/candidates.ts");
      for (const word of await candidates(cli, build, words)) cli.stdout.write(`${word}\n`);
    });
}

// CodeMirror for the files of a package. It lives in a shadow root: there it brings its styles as style sheets of script, which the
// content security policy allows; in the document itself it would need inline styles.
import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { yaml } from "@codemirror/lang-yaml";
import { bracketMatching, indentUnit, StreamLanguage, syntaxTree } from "@codemirror/language";
import { type Diagnostic, lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { highlightSelectionMatches, searchKeymap } from "@codemirror/search";
import { EditorState, type Extension, type Range } from "@codemirror/state";
import {
  Decoration,
  type DecorationSet,
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  hoverTooltip,
  keymap,
  lineNumbers,
  ViewPlugin,
  type ViewUpdate,
} from "@codemirror/view";
import { MANIFEST } from "#web/blueprints/package.ts";
import { editorTheme } from "./editor-theme.ts";
import { luaWords } from "./lua-words.ts";
import type { Explanation, Hints } from "./manifest-hints.ts";
import type { Problem } from "./problems.ts";

export type CodeEditor = {
  /** Shows another file. What can be undone in each is kept. */
  readonly open: (path: string, text: string) => void;
  /** Underlines problems of the file that is shown. `text` is what they were found in. */
  readonly mark: (text: string, problems: readonly Problem[]) => void;
  /** Replaces everything, as one step that can be undone. */
  readonly replace: (text: string) => void;
  readonly apply: (edits: readonly { readonly start: number; readonly end: number; readonly text: string }[]) => void;
  readonly jump: (line: number, column: number) => void;
  readonly close: () => void;
};

type Options = {
  readonly host: HTMLElement;
  readonly path: string;
  readonly text: string;
  /** What the editor of a file is called. */
  readonly label: (path: string) => string;
  readonly isReadOnly: boolean;
  readonly onchange: (path: string, text: string) => void;
  /** Whether a file has hints and explanations. Left out: the manifest has. */
  readonly isHelped?: (path: string) => boolean;
  readonly hints: (text: string, offset: number) => Hints | undefined;
  readonly explain: (text: string, offset: number) => Explanation | undefined;
};

export function createCodeEditor(options: Options): CodeEditor {
  const { host } = options;
  const root = host.shadowRoot ?? host.attachShadow({ mode: "open" });
  const states = new Map<string, EditorState>();
  let path = options.path;
  const stateOf = (text: string) => EditorState.create({ doc: text, extensions: extensionsOf(path, options) });
  const view = new EditorView({ root, parent: root, state: stateOf(options.text) });
  return {
    open(next, text) {
      if (next === path) return;
      states.set(path, view.state);
      path = next;
      const known = states.get(path);
      // It may have been changed by something else than typing.
      view.setState(known?.doc.toString() === text ? known : stateOf(text));
    },
    mark(checked, problems) {
      if (view.state.doc.toString() !== checked) return;
      view.dispatch(
        setDiagnostics(
          view.state,
          problems.map((problem) => diagnosticOf(checked, problem)),
        ),
      );
    },
    replace: (next) => view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: next } }),
    apply: (edits) =>
      view.dispatch({ changes: edits.map(({ start, end, text: insert }) => ({ from: start, to: end, insert })) }),
    jump(line, column) {
      const { doc } = view.state;
      const found = doc.line(Math.min(Math.max(line, 1), doc.lines));
      const at = Math.min(found.from + Math.max(column - 1, 0), found.to);
      view.dispatch({ selection: { anchor: at }, effects: EditorView.scrollIntoView(at, { y: "center" }) });
      view.focus();
    },
    close: () => view.destroy(),
  };
}

const isManifest = (path: string) => path === MANIFEST;

function extensionsOf(path: string, options: Options): readonly Extension[] {
  const { label, isReadOnly, onchange, isHelped = isManifest, hints, explain } = options;
  return [
    lineNumbers(),
    lintGutter(),
    history(),
    drawSelection(),
    highlightActiveLine(),
    highlightActiveLineGutter(),
    highlightSelectionMatches(),
    bracketMatching(),
    closeBrackets(),
    languageOf(path),
    wordColors,
    indentUnit.of("  "),
    EditorState.tabSize.of(2),
    EditorState.readOnly.of(isReadOnly),
    EditorView.editable.of(!isReadOnly),
    EditorView.contentAttributes.of({
      "aria-label": label(path),
      spellcheck: "false",
      autocorrect: "off",
      autocapitalize: "off",
      tabindex: "0",
    }),
    isHelped(path) ? help(hints, explain) : [],
    keymap.of([
      ...closeBracketsKeymap,
      ...completionKeymap,
      ...lintKeymap,
      ...searchKeymap,
      ...historyKeymap,
      ...defaultKeymap,
      // Escape and then Tab leaves the editor.
      indentWithTab,
    ]),
    EditorView.updateListener.of((update) => {
      if (update.docChanged) onchange(path, update.state.doc.toString());
    }),
    editorTheme,
  ];
}

/** JSON is YAML, too. A rockspec is Lua. */
function languageOf(path: string): Extension {
  if (/\.(?:ya?ml|json)$/.test(path)) return yaml();
  return /\.(?:lua|rockspec)$/.test(path) ? StreamLanguage.define(luaWords) : [];
}

function help(hints: Options["hints"], explain: Options["explain"]): Extension {
  return [
    // After a key, its values are offered at once.
    autocompletion({
      override: [completeBy(hints)],
      icons: false,
      activateOnCompletion: ({ apply }) => typeof apply === "string" && apply.endsWith(" "),
    }),
    hoverTooltip((inner, position) => tooltip(explain(inner.state.doc.toString(), position))),
  ];
}

function diagnosticOf(checked: string, { from, to, severity, message, code, fix }: Problem): Diagnostic {
  return {
    from,
    // An empty place could not be seen.
    to: Math.max(to, Math.min(from + 1, checked.length)),
    severity,
    source: code,
    message,
    actions:
      fix === undefined
        ? []
        : [
            {
              name: fix.title,
              // Its places are those of the text that was checked.
              apply: (view) => {
                if (view.state.doc.toString() !== checked) return;
                view.dispatch({
                  changes: fix.edits.map((edit) => ({ from: edit.start, to: edit.end, insert: edit.text })),
                });
              },
            },
          ],
  };
}

type Context = { readonly state: EditorState; readonly pos: number; readonly explicit: boolean };

function completeBy(hints: Options["hints"]) {
  return ({ state, pos, explicit }: Context) => {
    const found = hints(state.doc.toString(), pos);
    if (found === undefined || (!explicit && found.from === pos && !/[\s:[{,-]$/.test(state.sliceDoc(0, pos))))
      return null;
    return {
      from: found.from,
      options: found.hints.map(({ label, detail, info, apply }, index) => ({
        label,
        detail,
        info,
        apply,
        boost: -index / 100,
      })),
      validFor: /^[\w./%-]*$/,
    };
  };
}

function tooltip(found: Explanation | undefined) {
  if (found === undefined) return null;
  return {
    pos: found.from,
    end: found.to,
    above: true,
    create: () => {
      const dom = document.createElement("div");
      dom.className = "cm-explanation";
      for (const [tag, text] of [
        ["strong", found.title],
        ["span", found.detail],
        ["p", found.text],
      ] as const) {
        const part = document.createElement(tag);
        part.textContent = text;
        dom.append(part);
      }
      return { dom };
    },
  };
}

/** Colours by the kind of word. */
const CLASSES: ReadonlyMap<string, string> = new Map([
  ["Key", "cm-word-key"],
  ["QuotedLiteral", "cm-word-text"],
  ["Comment", "cm-word-comment"],
  ["Anchor", "cm-word-reference"],
  ["Alias", "cm-word-reference"],
  ["Tag", "cm-word-reference"],
  // Of Lua.
  ["keyword", "cm-word-key"],
  ["string", "cm-word-text"],
  ["number", "cm-word-reference"],
  ["comment", "cm-word-comment"],
]);
const MARKS = new Map([...CLASSES].map(([name, word]) => [name, Decoration.mark({ class: word })]));

const wordColors = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet;

    constructor(view: EditorView) {
      this.decorations = colored(view);
    }

    update({ docChanged, viewportChanged, view, startState, state }: ViewUpdate): void {
      if (docChanged || viewportChanged || syntaxTree(startState) !== syntaxTree(state))
        this.decorations = colored(view);
    }
  },
  { decorations: ({ decorations }) => decorations },
);

function colored(view: EditorView): DecorationSet {
  const marks: Range<Decoration>[] = [];
  for (const { from, to } of view.visibleRanges) {
    syntaxTree(view.state).iterate({
      from,
      to,
      enter: (node) => {
        const mark = MARKS.get(node.name);
        if (mark !== undefined && node.to > node.from) marks.push(mark.range(node.from, node.to));
      },
    });
  }
  return Decoration.set(marks, true);
}

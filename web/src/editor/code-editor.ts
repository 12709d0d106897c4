// CodeMirror for manifests. It lives in a shadow root: there it brings its styles as style sheets of script, which the
// content security policy allows; in the document itself it would need inline styles.
import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { yaml } from "@codemirror/lang-yaml";
import { bracketMatching, indentUnit, syntaxTree } from "@codemirror/language";
import { type Diagnostic, lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { highlightSelectionMatches, searchKeymap } from "@codemirror/search";
import { EditorState, type Range } from "@codemirror/state";
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
import { editorTheme } from "./editor-theme.ts";
import type { Explanation, Hints } from "./manifest-hints.ts";
import type { Problem } from "./problems.ts";

export type CodeEditor = {
  /** Underlines problems of the manifest. `text` is what they were found in. */
  readonly mark: (text: string, problems: readonly Problem[]) => void;
  /** Replaces everything, as one step that can be undone. */
  readonly replace: (text: string) => void;
  readonly apply: (edits: readonly { readonly start: number; readonly end: number; readonly text: string }[]) => void;
  readonly jump: (offset: number) => void;
  readonly close: () => void;
};

type Options = {
  readonly host: HTMLElement;
  readonly text: string;
  readonly label: string;
  readonly isReadOnly: boolean;
  readonly onchange: (text: string) => void;
  readonly hints: (text: string, offset: number) => Hints | undefined;
  readonly explain: (text: string, offset: number) => Explanation | undefined;
};

export function createCodeEditor(options: Options): CodeEditor {
  const { host, text, label, isReadOnly, onchange, hints, explain } = options;
  const root = host.shadowRoot ?? host.attachShadow({ mode: "open" });
  const view = new EditorView({
    root,
    parent: root,
    state: EditorState.create({
      doc: text,
      extensions: [
        lineNumbers(),
        lintGutter(),
        history(),
        drawSelection(),
        highlightActiveLine(),
        highlightActiveLineGutter(),
        highlightSelectionMatches(),
        bracketMatching(),
        closeBrackets(),
        yaml(),
        wordColors,
        indentUnit.of("  "),
        EditorState.tabSize.of(2),
        EditorState.readOnly.of(isReadOnly),
        EditorView.editable.of(!isReadOnly),
        EditorView.contentAttributes.of({
          "aria-label": label,
          spellcheck: "false",
          autocorrect: "off",
          autocapitalize: "off",
          tabindex: "0",
        }),
        // After a key, its values are offered at once.
        autocompletion({
          override: [completeBy(hints)],
          icons: false,
          activateOnCompletion: ({ apply }) => typeof apply === "string" && apply.endsWith(" "),
        }),
        hoverTooltip((inner, position) => tooltip(explain(inner.state.doc.toString(), position))),
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
          if (update.docChanged) onchange(update.state.doc.toString());
        }),
        editorTheme,
      ],
    }),
  });
  return {
    mark(checked, problems) {
      if (view.state.doc.toString() !== checked) return;
      const inManifest = problems.filter(({ file }) => file === undefined);
      view.dispatch(
        setDiagnostics(
          view.state,
          inManifest.map((problem) => diagnosticOf(checked, problem)),
        ),
      );
    },
    replace: (next) => view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: next } }),
    apply: (edits) =>
      view.dispatch({ changes: edits.map(({ start, end, text: insert }) => ({ from: start, to: end, insert })) }),
    jump(offset) {
      const at = Math.min(offset, view.state.doc.length);
      view.dispatch({ selection: { anchor: at }, effects: EditorView.scrollIntoView(at, { y: "center" }) });
      view.focus();
    },
    close: () => view.destroy(),
  };
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

import { expect, test } from "vitest";
import { renderMarkdown } from "./render-markdown.ts";

const links = {
  href: (target: string) => (target === "gone.md" ? undefined : `to/${target}`),
  image: (target: string) => `data:${target}`,
};

test.each([
  ["# Two words", '<h1 id="two-words">Two words</h1>'],
  ["one\ntwo\n\nthree", "<p>one\ntwo</p>\n<p>three</p>"],
  [
    "`a < b` and **bold `x`** and *slanted*",
    "<p><code>a &lt; b</code> and <strong>bold <code>x</code></strong> and <em>slanted</em></p>",
  ],
  ["2 * 3 * 4 and snake_case_name", "<p>2 * 3 * 4 and snake_case_name</p>"],
  ["[a `b`](x.md#y)", '<p><a href="to/x.md#y">a <code>b</code></a></p>'],
  ["[text](gone.md)", "<p>text</p>"],
  ["![alt](p.svg)", '<p><img src="data:p.svg" alt="alt"></p>'],
  ["<https://busbar.test/>", '<p><a href="https://busbar.test/">https://busbar.test/</a></p>'],
  ["<script>alert(1)</script>", "<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>"],
  ["- one\n  more\n- two", "<ul><li>one\nmore</li><li>two</li></ul>"],
  ["1. one\n2. two", "<ol><li>one</li><li>two</li></ol>"],
  ["- one\n  - inner\n- two", "<ul><li><p>one</p>\n<ul><li>inner</li></ul></li><li>two</li></ul>"],
  ["> said", "<blockquote><p>said</p></blockquote>"],
  ["    x = 1", '<figure><pre tabindex="0"><code>x = 1</code></pre></figure>'],
])("%j is %j", (markdown, html) => {
  expect(renderMarkdown(markdown, links)).toBe(html);
});

test("a block of code keeps its text, and shows the name of its file", () => {
  expect(renderMarkdown('```yaml file=a/b.yml skip="x"\na: **b** <c>\n\n  - d\n```\nend', links)).toBe(
    '<figure><figcaption><code>a/b.yml</code></figcaption><pre tabindex="0"><code>a: **b** &lt;c&gt;\n\n  - d</code></pre></figure>\n<p>end</p>',
  );
});

test("a table has a head and rows; a bar in a cell is escaped", () => {
  const html = renderMarkdown("| a | b |\n|---|---|\n| `x\\|y` | [l](m.md) |", links);
  expect(html).toContain('<th scope="col">a</th><th scope="col">b</th>');
  expect(html).toContain('<tr><td><code>x|y</code></td><td><a href="to/m.md">l</a></td></tr>');
});

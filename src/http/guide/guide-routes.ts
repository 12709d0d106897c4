import { refuse } from "#core/app-error.ts";
import type { GuideSource } from "#http/guide/guide-page.ts";
import { htmlAnswer } from "#http/page/html-answer.ts";
import { type Operation, operation } from "#service/operation/operation.ts";

const tag = "System";
const answer = { contentType: "text/html", description: "A page for people." };

export interface GuideNeeds {
  readonly guide: GuideSource;
}

/** The documentation, readable without a token and without the internet. */
export function guideRoutes({ guide }: GuideNeeds): readonly Operation[] {
  // Loaded when somebody reads a page, so that a start is shorter.
  const pages = () => import("#http/guide/guide-page.ts");
  const render = async (name: string, base: string) => {
    const { renderGuidePage } = await pages();
    const html = renderGuidePage(guide, name, base);
    if (html === undefined) throw refuse("not_found", `the guide has no page ${JSON.stringify(name.slice(0, 100))}`);
    return htmlAnswer(html);
  };
  return [
    operation({
      method: "GET",
      path: "/docs/guide",
      name: "getGuide",
      summary: "The guide",
      tag,
      level: "public",
      answer,
      run: async () => render((await pages()).INDEX, "guide/"),
    }),
    operation({
      method: "GET",
      path: "/docs/guide/:page",
      name: "getGuidePage",
      summary: "A page of the guide",
      tag,
      level: "public",
      answer,
      run: async ({ params }) => render(params.page, ""),
    }),
  ];
}

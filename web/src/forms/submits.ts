/** What a form does with what was typed, instead of leaving the page. */
export const submits =
  (act: () => unknown) =>
  (event: SubmitEvent): void => {
    event.preventDefault();
    void act();
  };

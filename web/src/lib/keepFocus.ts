/**
 * A ref for an element that may disappear while it has the focus, such as the button of an action that is no longer
 * possible. Moves the focus to the page's content instead of losing it.
 */
export const keepFocus = (element: HTMLElement | null) => () => {
  if (element !== null && element === document.activeElement)
    document.getElementById('content')?.focus({ preventScroll: true })
}

/**
 * Lets React and Preact work on a page that a translator or an extension has changed. These replace text nodes, as Chrome does
 * by two `<font>` elements, but React keeps the nodes that it made: it would change a text that is no longer in the page, and
 * fail to remove it or to insert something before it. When React touches such a text, the text replaces its replacement; the
 * translator then translates it again. `property` is the one by which the library changes a text.
 */
export function restoreReplacedText<T extends Node>(prototype: T, property: keyof T): void {
  const replacements = new WeakMap<Node, ChildNode>()

  /** A text is replaced if an element was added beside it in the same task. */
  function note(records: MutationRecord[]): void {
    const added = new Set<Node | null>(records.flatMap(({ addedNodes }) => [...addedNodes]))
    for (const { removedNodes, addedNodes, previousSibling, nextSibling } of records)
      for (const node of removedNodes) {
        if (!(node instanceof Text)) continue
        const beside = [...addedNodes, previousSibling, nextSibling]
        const replacement = beside.find((it) => it instanceof Element && added.has(it)) as Element | undefined
        // Two texts beside each other have two replacements.
        if (replacement && added.delete(replacement)) replacements.set(node, replacement)
      }
  }
  const observer = new MutationObserver(note)
  observer.observe(document, { childList: true, subtree: true })

  function restore(node: Node): void {
    note(observer.takeRecords())
    const replacement = replacements.get(node)
    replacements.delete(node)
    // Otherwise the text was not replaced, but removed or moved beside something new.
    if (replacement && (!node.isConnected || replacement.contains(node))) replacement.replaceWith(node)
  }

  const { insertBefore, removeChild } = Node.prototype
  Node.prototype.insertBefore = function <N extends Node>(node: N, before: Node | null): N {
    if (before && before.parentNode !== this) restore(before)
    return insertBefore.call(this, node, before?.parentNode === this ? before : null) as N
  }
  Node.prototype.removeChild = function <N extends Node>(node: N): N {
    if (node.parentNode !== this) restore(node)
    return node.parentNode === this ? (removeChild.call(this, node) as N) : node
  }
  const text = Object.getOwnPropertyDescriptor(prototype, property)!
  Object.defineProperty(prototype, property, {
    ...text,
    set(this: T, value: string | null) {
      text.set!.call(this, value)
      if (!this.isConnected) restore(this)
    },
  })
}

/** A page as translators leave it, and browsers that do not store anything. */
import type { BrowserContext } from '@playwright/test'

/**
 * Translates every page into its own language: replaces each text, now and whenever one appears, by two `<font>` elements, as
 * Chrome does. `copied`: around a copy, as Chrome does; otherwise around the text node itself, as some extensions do. Begins
 * once the page has loaded the code that copes with it, which takes longer in a browser than the first text but not as long as
 * loading a translator.
 */
export const translateTexts = (context: BrowserContext, { copied }: { copied: boolean }) =>
  context.addInitScript((isCopied) => {
    const isReady = () => !String(Node.prototype.insertBefore).includes('[native code]')
    const isText = (node: Node) =>
      node.nodeType === Node.TEXT_NODE &&
      node.textContent!.trim() !== '' &&
      !/^(FONT|SCRIPT|STYLE|TEXTAREA|NOSCRIPT)$/.test(node.parentElement?.tagName ?? 'FONT')
    function translate(): void {
      const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
      const texts: Text[] = []
      while (walker.nextNode()) if (isText(walker.currentNode)) texts.push(walker.currentNode as Text)
      for (const text of texts) {
        const [outer, inner] = [document.createElement('font'), document.createElement('font')]
        outer.append(inner)
        text.replaceWith(outer)
        inner.append(isCopied ? text.data : text)
      }
    }
    function begin(): void {
      translate()
      new MutationObserver(translate).observe(document.body, { childList: true, subtree: true, characterData: true })
    }
    const timer = setInterval(() => {
      if (!isReady()) return
      clearInterval(timer)
      begin()
    }, 20)
  }, copied)

/** How a browser lacks storage: it has none, lets nobody use it, or has no room left. */
export const storages = ['missing', 'blocked', 'full'] as const

export const limitStorage = (context: BrowserContext, how: (typeof storages)[number]) =>
  context.addInitScript((how) => {
    const refuse = (name: string) => () => {
      throw new DOMException('The page may not store this.', name)
    }
    if (how === 'full') {
      Storage.prototype.setItem = refuse('QuotaExceededError')
      return
    }
    const get = how === 'missing' ? () => null : refuse('SecurityError')
    for (const name of ['localStorage', 'sessionStorage']) Object.defineProperty(window, name, { get })
    if (how === 'missing') return
    // Browsers that block storage also block these.
    Object.defineProperty(window, 'indexedDB', { get })
    Object.defineProperty(window, 'BroadcastChannel', { value: refuse('SecurityError') })
    LockManager.prototype.request = async () => refuse('SecurityError')()
  }, how)

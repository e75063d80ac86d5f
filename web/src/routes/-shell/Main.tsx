import { useRouter } from '@tanstack/react-router'
import { type ReactNode, useEffect, useRef, useState, useSyncExternalStore } from 'react'
import { appName } from '#web/lib/app.ts'

/** Time in which a page may still replace its first title, once it has loaded what it is about. */
const settleMs = 500
const frameMs = 20
/** What a user does next, such as opening the menu while the page still loads. */
const acts = ['keydown', 'pointerdown'] as const

/**
 * The region of the page. A screen reader does not notice by itself that another page has been opened in the app: the
 * region then gets the focus, unless something in the new page has taken it or the user has gone on meanwhile, and the page's
 * title is announced.
 */
export function Main(props: { children: ReactNode }) {
  const router = useRouter()
  const title = useSyncExternalStore(onTitle, () => document.title)
  const main = useRef<HTMLElement>(null)
  const [announced, setAnnounced] = useState('')

  useEffect(() => {
    /** Ends the wait for the new page. */
    let stop = () => {}

    const leave = router.subscribe('onBeforeNavigate', ({ fromLocation, toLocation }) => {
      if (!fromLocation || fromLocation.pathname === toLocation.pathname) return
      stop()
      setAnnounced('')
      const focused = document.activeElement
      let goesOn = false
      const goOn = () => {
        goesOn = true
      }
      for (const act of acts) addEventListener(act, goOn, true)
      const arrive = () => {
        unsubscribe()
        clearTimeout(timer)
        timer = setTimeout(() => {
          // The menu takes the focus back until it is closed.
          if (document.querySelector('[role=dialog][data-closed]')) return arrive()
          const now = document.activeElement
          const isTaken = now !== focused && now?.closest('#content, [role=dialog], [role=alertdialog]')
          if (!isTaken && !goesOn) main.current?.focus({ preventScroll: true })
          timer = setTimeout(() => setAnnounced(document.title), settleMs)
        }, frameMs)
      }
      // Each page sets its title once its code is there.
      const unsubscribe = onTitle(arrive)
      let timer: ReturnType<typeof setTimeout> | undefined
      stop = () => {
        unsubscribe()
        clearTimeout(timer)
        for (const act of acts) removeEventListener(act, goOn, true)
      }
    })
    return () => {
      leave()
      stop()
    }
  }, [router])

  return (
    <>
      <span role="status" className="sr-only">
        {announced}
      </span>
      <main
        ref={main}
        id="content"
        tabIndex={-1}
        aria-label={title.split(` · ${appName}`)[0]}
        className="mx-auto max-w-[1248px] px-4 py-6 outline-none sm:px-6"
      >
        {props.children}
      </main>
    </>
  )
}

/** Calls `listener` when the document's title changes. Returns a function that ends this. */
function onTitle(listener: () => void): () => void {
  let last = document.title
  const observer = new MutationObserver(() => {
    // The files of a page are added to the head, too.
    if (document.title === last) return
    last = document.title
    listener()
  })
  observer.observe(document.head, { childList: true, subtree: true, characterData: true })
  return () => observer.disconnect()
}

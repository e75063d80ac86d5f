import { useEffect } from 'react'
import { appName } from './app.ts'

/** Sets the document's title until another page sets it. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · ${appName}`
  }, [title])
}

import { useEffect } from 'react'
import { appName } from './app.ts'

/** Sets the document's title for as long as no other page does. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · ${appName}`
  }, [title])
}

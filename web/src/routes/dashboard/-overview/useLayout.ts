import { useQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useRef, useState } from 'react'
import { toast } from 'react-hot-toast/headless'
import { messageOf } from '#web/lib/apiError.ts'
import { preferencesQuery, savePreferences } from '#web/queries/overview.ts'
import { defaultLayout, type LayoutItem, tidy } from './layout.ts'

const saveMs = 500

/**
 * The user's widgets. Changes show immediately and are saved `saveMs` after the last one. `isUnknown`: the stored layout
 * could not be read, so the default is shown and must not be changed.
 */
export function useLayout() {
  const stored = useQuery(preferencesQuery)
  const [changed, setChanged] = useState<LayoutItem[] | null>(null)
  const unsaved = useRef<LayoutItem[] | null>(null)
  const known = stored.data?.dashboardWidgets
  const items = useMemo(() => changed ?? (known ? tidy(known) : defaultLayout), [changed, known])

  useEffect(() => {
    if (changed === null) return
    unsaved.current = changed
    const timer = setTimeout(() => save(unsaved), saveMs)
    return () => clearTimeout(timer)
  }, [changed])
  // Leaving the page saves immediately.
  useEffect(() => () => void save(unsaved), [])

  // A change would overwrite the stored layout, which could not be read.
  const isUnknown = stored.isError && !stored.data
  return { items, change: setChanged, isPending: stored.isPending, isUnknown, reload: stored.refetch }
}

async function save(unsaved: { current: LayoutItem[] | null }): Promise<void> {
  const dashboardWidgets = unsaved.current
  if (dashboardWidgets === null) return
  unsaved.current = null
  try {
    await savePreferences({ dashboardWidgets })
  } catch (error) {
    toast.error(messageOf(error, 'Your dashboard could not be saved. Please try again.'))
  }
}

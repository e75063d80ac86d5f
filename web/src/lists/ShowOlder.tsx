import type { UseInfiniteQueryResult } from '@tanstack/react-query'
import { Button } from '#web/components/Button.tsx'

/** Loads the next page of a list below its rows. Nothing once all are there. */
export function ShowOlder(props: {
  list: Pick<UseInfiniteQueryResult, 'hasNextPage' | 'isFetchingNextPage' | 'fetchNextPage'>
}) {
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = props.list
  if (!hasNextPage) return null
  return (
    <div className="border-hairline border-t px-5 py-3 text-center">
      <Button look="quiet" busy={isFetchingNextPage} onClick={() => fetchNextPage()}>
        Show older ones
      </Button>
    </div>
  )
}

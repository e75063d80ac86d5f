import { Link, type LinkProps } from '@tanstack/react-router'
import { ChevronLeft } from 'lucide-react'

/** Above a page about one thing: back to the list that has it. */
export const BackLink = ({ children, ...link }: Pick<LinkProps, 'to' | 'search'> & { children: string }) => (
  <Link
    {...link}
    className="-ml-2 mb-2 inline-flex h-control items-center gap-1 rounded-control px-2 text-muted hover:bg-sunken hover:text-ink print:hidden"
  >
    <ChevronLeft aria-hidden="true" className="size-4" />
    {children}
  </Link>
)

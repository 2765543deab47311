// The links of the main navigation.
import { Text } from '@mantine/core'
import { Link } from 'react-router'
import { navLinkLook } from '../parts/looks.ts'
import { type Destination, navigation } from './navigation.ts'

/** @param pathname the path of the current page */
export const MainNavigation = ({ pathname }: { readonly pathname: string }) =>
  navigation.map(({ group, destinations }) => (
    <div key={group}>
      <Text size="xs" fw={600} c="dimmed" px="sm" pt="sm" pb={4}>
        {group}
      </Text>
      {destinations.map((destination) => (
        <NavigationLink key={destination.path} destination={destination} pathname={pathname} />
      ))}
    </div>
  ))

interface NavigationLinkProps {
  readonly destination: Destination
  readonly pathname: string
}

function NavigationLink({
  destination: { label, path, icon: Icon, isOutside = false },
  pathname,
}: NavigationLinkProps) {
  const content = (
    <>
      <span className={navLinkLook.section} data-position="left">
        <Icon size={18} aria-hidden />
      </span>
      <span className={navLinkLook.body}>
        <span className={navLinkLook.label}>{label}</span>
      </span>
    </>
  )
  if (isOutside) {
    return (
      <a className={navLinkLook.root} href={path}>
        {content}
      </a>
    )
  }
  const active = path === '/' ? pathname === path : pathname.startsWith(path)
  return (
    <Link
      className={navLinkLook.root}
      to={path}
      data-active={active || undefined}
      aria-current={active ? 'page' : undefined}
    >
      {content}
    </Link>
  )
}

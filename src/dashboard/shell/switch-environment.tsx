// The way from a page to another environment. It is a page itself, so that a page with unsaved changes can ask first.
import { useEffect } from 'react'
import { useParams } from 'react-router'
import { openAddress } from '../session/address.ts'
import { Loading } from '../parts/loading.tsx'

export function SwitchEnvironment() {
  const { slug = '', '*': page = '' } = useParams()
  useEffect(() => openAddress(slug, `/${page}`), [slug, page])
  return <Loading />
}

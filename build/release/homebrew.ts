import { DESCRIPTION, type Published } from './manifests.ts'

type Formula = {
  readonly version: string
  /** Where the files of the release can be fetched, without a slash at the end. */
  readonly url: string
  /** Archives by target, such as `prepd-1.2.3-darwin-arm64.tar.xz`. */
  readonly archives: readonly Published[]
}

const SYSTEMS = [
  ['on_macos', 'on_arm', 'darwin-arm64'],
  ['on_macos', 'on_intel', 'darwin-x64'],
  ['on_linux', 'on_arm', 'linux-arm64'],
  ['on_linux', 'on_intel', 'linux-x64'],
] as const

/** A formula of Homebrew that installs the executable of each system that was built. */
export function homebrewFormula({ version, url, archives }: Formula): string {
  const blocks = SYSTEMS.flatMap(([system, processor, target]) => {
    const archive = archives.find(({ file }) => file === `prepd-${version}-${target}.tar.xz`)
    return archive ? [blockOf(system, processor, url, archive)] : []
  })
  return `class Prepd < Formula
  desc "${DESCRIPTION}"
  homepage "${url}"
  version "${version}"
  license "Apache-2.0"
${blocks.join('')}
  def install
    bin.install "prepd"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/prepd --version")
  end
end
`
}

function blockOf(system: string, processor: string, url: string, archive: Published): string {
  return `
  ${system} do
    ${processor} do
      url "${url}/${archive.file}"
      sha256 "${archive.sha256}"
    end
  end
`
}

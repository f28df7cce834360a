"""The harbor's texts in English; `french` has the same keys, and the same names in braces."""

ENGLISH: dict[str, str] = {
    "language": "English",
    "number.thousands": ",",
    "number.point": ".",
    "size": "{number} {unit}",
    "size.units": "bytes kB MB GB TB PB",
    "months": "January February March April May June July August September October November "
    "December",
    "weekdays": "Monday Tuesday Wednesday Thursday Friday Saturday Sunday",
    "day": "{day} {month} {year}",
    "day.first": "{day} {month} {year}",
    "moment": "{day}, {time} UTC",
    "span.days.one": "{count} day",
    "span.days.many": "{count} days",
    "span.hours.one": "{count} hour",
    "span.hours.many": "{count} hours",
    "span.minutes.one": "{count} minute",
    "span.minutes.many": "{count} minutes",
    "span.seconds.one": "{count} second",
    "span.seconds.many": "{count} seconds",
    "gap.none": "same time",
    "gap.later": "{span} later",
    "gap.earlier": "{span} earlier",
    # every page
    "harbor": "dlweb harbor",
    "skip": "Skip to the content",
    "pages": "Pages",
    "page.home": "Harbor",
    "page.search": "Search",
    "page.screen": "On your screen",
    "page.missing": "Missing",
    "page.settings": "Settings",
    "page.certificate": "Certificate",
    "page.monitoring": "Monitoring",
    "url": "URL",
    "date": "Date",
    "status": "Status",
    "size.column": "Size",
    "type": "Type",
    "unknown": "unknown",
    "newest": "the newest captures",
    "you-read": "You read the archive at {date}.",
    "you-read.newest": "You read the newest captures of the archive.",
    "you-read.live": "You read the live web, not the archive.",
    "captures.one": "{count} capture",
    "captures.many": "{count} captures",
    "newer": "Newer",
    "older": "Older",
    "captures-of": "Captures of a URL",
    "captures-of.button": "List its captures",
    "captures-of.calendar": "Show its calendar",
    # choosing a date
    "date-form": "Your date",
    "date-form.label": "Date and time (UTC)",
    "date-form.button": "Read at this date",
    "date-form.newest": "Read the newest",
    "date-form.help": "As much as you know, from the year on: 2026, 2026-11, 2026-11-21 07:30. "
    "Each page shows its capture nearest to your date.",
    "date-form.proposed": "This address proposes the date in the field. Press the button to read "
    "at it.",
    "date.invalid": "“{text}” is not a date. Write a year (2026), a month (2026-11), a day "
    "(2026-11-21), or a time (2026-11-21 07:30), in UTC.",
    "date.unchanged": "The date is unchanged",
    "date.set": "Your date is set",
    "go-on": "Go on to {url}",
    # home
    "home": "Web archive",
    "home.browse": "To walk the archive, set your browser’s HTTP proxy to {proxy} and open "
    "http://dlweb/ there. Without it, links to archived pages would lead to the live web, so "
    "these pages have none.",
    "home.screen": "Last on your screen",
    "home.screen.spread": "What belongs to it",
    "home.certificate": "Pages with https:// need the archive’s certificate: see how to trust it",
    "home.missing": "Recently missing",
    "home.all-missing": "All that is missing",
    # search
    "search": "Search of URLs",
    "search.label": "Address, or the beginning of one",
    "search.help": "http:// and www. may be left out. An empty field lists everything.",
    "search.button": "Search",
    "search.all": "Archived URLs",
    "search.found": "Archived URLs for “{text}”",
    "search.none": "The archive holds no such URL.",
    "search.none.help": "Try a shorter beginning, the host alone, or another spelling. Words of "
    "the pages’ texts are not searched.",
    "search.silent.one": "{count} of {nodes} storage nodes does not answer; URLs that only it "
    "holds are not listed.",
    "search.silent.many": "{count} of {nodes} storage nodes do not answer; URLs that only they "
    "hold are not listed.",
    "search.further": "Further URLs",
    # captures
    "captures": "Captures",
    "captures.none": "The archive has no capture of this URL to show.",
    "captures.none.help": "It may hold the page under another address: search for the host alone.",
    "captures.choose": "A press on a date sets it as yours, and leads to the page as it was.",
    "captures.choose.beside": "A press on a date sets it as yours. Ask for the URL through the "
    "proxy {proxy}.",
    "captures.calendar": "Calendar of this URL",
    "captures.all": "All its captures",
    "captures.day": "Captures of {day}",
    "captures.compare": "Compare the two chosen",
    "captures.from": "From",
    "captures.to": "To",
    "captures.from.label": "Compare from {date}",
    "captures.to.label": "Compare to {date}",
    "captures.content": "Content",
    "captures.change": "Change",
    "captures.you-read": "you read this",
    "captures.pages": "Page {page} of {pages}",
    "change.first": "first",
    "change.same": "same",
    "change.changed": "changed",
    # calendar
    "calendar": "Calendar",
    "calendar.years": "Years",
    "calendar.help": "Each day with captures is a button that lists them. The number below is how "
    "many there are; a darker ground means more, and ≠ that the content changed.",
    "calendar.day": "{day}: {captures}",
    "calendar.day.changed": "{day}: {captures}, the content changed",
    "calendar.month": "{month} {year}",
    # difference
    "difference": "Difference",
    "difference.old": "Older",
    "difference.new": "Newer",
    "difference.modes": "Ways to compare",
    "difference.text": "Text",
    "difference.source": "Source",
    "difference.links": "Links and head",
    "difference.frames": "Side by side",
    "difference.pictures": "Pictures",
    "difference.same-content": "Both captures have the same content, byte for byte.",
    "difference.same-text": "The texts are the same, though the contents are not.",
    "difference.similar": "{percent}% of the text is the same.",
    "difference.added": "added",
    "difference.removed": "removed",
    "difference.legend": "Removed text is struck out and marked −; added text is underlined and "
    "marked +.",
    "difference.skipped.one": "{count} line that is the same",
    "difference.skipped.many": "{count} lines that are the same",
    "difference.cut": "The rest is too long to be shown here.",
    "difference.too-large": "One of the contents is larger than {limit}; so large ones are not "
    "compared.",
    "difference.too-slow": "The two contents are too large or too different to be compared in "
    "time. Their captures can be read one by one.",
    "difference.no-text": "Contents of these types have no text to compare; look at their links, "
    "head and size.",
    "difference.head": "Header fields",
    "difference.links-added": "Links that came",
    "difference.links-gone": "Links that went",
    "difference.none": "None.",
    "difference.field": "Field",
    "difference.pictures.help": "Below both, what differs: black where they are the same.",
    "difference.pictures.old": "The picture of {date}",
    "difference.pictures.new": "The picture of {date}",
    "difference.pictures.differs": "What differs between the two pictures",
    "difference.frame": "The page of {date}",
    "difference.frames.help": "Below both, what differs where the pages begin: black where they "
    "are the same.",
    "difference.frames.differs": "What differs between the two pages",
    "difference.frames.none": "Rendered pages are shown where the archive serves them without a "
    "proxy. Read both captures through the proxy instead, from the list of captures.",
    "difference.others": "Compare other captures",
    "difference.not-both": "Choose two captures of one URL.",
    # on screen
    "screen": "On your screen",
    "screen.none": "No page was given to you yet. Open one through the proxy, and see here of "
    "which dates its parts are.",
    "screen.page": "Page",
    "screen.within": "The parts of this page were collected within {span}.",
    "screen.at-once": "The parts of this page were collected at the same time.",
    "screen.alone": "This page has no parts yet.",
    "screen.parts.one": "{count} part",
    "screen.parts.many": "{count} parts",
    "screen.missing.one": "{count} part is missing.",
    "screen.missing.many": "{count} parts are missing.",
    "screen.complete": "No part is missing.",
    "screen.date": "The page itself is of {date}.",
    "screen.timeline": "Dates of the parts, around that of the page",
    "screen.part": "Part",
    "screen.as": "Used as",
    "screen.distance": "From the page",
    "screen.missing.title": "Missing parts",
    "screen.former": "Pages before it",
    "screen.not-shown.one": "{count} more is not listed.",
    "screen.not-shown.many": "{count} more are not listed.",
    # missing
    "missing": "What is missing",
    "missing.words": "What readers asked for and the archive could not give, newest first. It may "
    "be worth collecting.",
    "missing.none": "Nothing was asked for in vain yet.",
    "missing.none.here": "Nothing of this kind was asked for in vain.",
    "missing.site": "Site",
    "missing.kind": "Kind",
    "missing.any": "any",
    "missing.show": "Show",
    "missing.filter": "Filter",
    "missing.times": "Times",
    "missing.last": "Last asked for (UTC)",
    "missing.page": "Linked from {url}",
    "missing.state": "Collection",
    "missing.fault": "Fault",
    "missing.unknown-url": "not in the archive",
    "missing.missing-captures": "captures are missing",
    "missing.missing-content": "content is missing",
    "missing.archive-unreachable": "archive did not answer",
    "missing.kind-count": "{kind}: {count}",
    "missing.found": "collected since",
    "missing.reported": "asked for",
    "missing.not-reported": "not asked for",
    # settings
    "settings": "Settings",
    "settings.language": "Language",
    "settings.language.browser": "as the browser prefers",
    "settings.save": "Save",
    "settings.date": "How your date is kept",
    "settings.date.address": "It belongs to your browser’s address; whoever shares the address "
    "shares the date.",
    "settings.date.cookie": "It belongs to this browser, which keeps a cookie for it.",
    "settings.date.name": "It belongs to your name, {name}, on whatever machine you use it.",
    "settings.live": "The live web",
    "settings.live.no": "The operator of this archive does not let it reach the live web: all you "
    "ask for through the proxy comes from the archive.",
    "settings.live.read": "You may read the live web through the archive’s proxy. Your requests "
    "then leave the archive, and sites see its address.",
    "settings.live.record": "You may read the live web through the archive’s proxy. What passes is "
    "recorded and becomes part of the archive: do not log in anywhere, and do not enter anything "
    "private.",
    "settings.live.on": "Read the live web",
    "settings.live.off": "Read the archive",
    "settings.forget": "Forget me",
    "settings.forget.words": "Your date, your language and the list of what is on your screen are "
    "forgotten at once.",
    "settings.forget.button": "Forget all I chose",
    "settings.unchanged": "The settings are unchanged",
    "settings.live.refused": "The operator of this archive does not let it reach the live web.",
    # certificate
    "certificate": "The archive’s certificate",
    "certificate.none": "This archive has no certificate authority: its proxy takes no https:// "
    "URLs. Ask with http:// instead; where the archive holds only the https:// capture, it gives "
    "that one.",
    "certificate.why": "A page that was https:// can be shown as it was only if your browser takes "
    "the archive for its site. So the archive makes certificates itself, signed by an authority of "
    "its own. Your browser has to be told once to trust it.",
    "certificate.meaning": "What trusting it means",
    "certificate.warning": "Whoever has the key of this authority can pass for any site before a "
    "browser that trusts it. The key never leaves this archive’s machine. All the same, trust it "
    "only in a browser profile that you use for nothing but the archive, and remove it when you "
    "are done.",
    "certificate.name": "Name",
    "certificate.fingerprint": "Fingerprint (SHA-256)",
    "certificate.until": "Valid until",
    "certificate.download": "Download the certificate",
    "certificate.download.pem": "The same for programs (PEM)",
    "certificate.check": "Compare the fingerprint that your browser shows with the one above. When "
    "they differ, do not trust it.",
    "certificate.firefox": "Firefox",
    "certificate.firefox.steps": "Download the certificate.\nOpen Settings → Privacy & Security → "
    "Certificates → View Certificates → Authorities → Import.\nChoose the file, tick “Trust this "
    "CA to identify websites”, and confirm.",
    "certificate.firefox.remove": "To remove it: the same list, choose its name, press “Delete or "
    "Distrust”.",
    "certificate.chrome": "Chrome, Chromium, Edge",
    "certificate.chrome.steps": "Download the certificate.\nOpen chrome://certificate-manager → "
    "Local certificates → Installed by you → Trusted certificates → Import (older versions: "
    "Settings → Privacy and security → Security → Manage certificates → Authorities).\nChoose the "
    "file and confirm that it may identify websites.",
    "certificate.chrome.remove": "To remove it: the same list, the menu beside its name, Delete.",
    "certificate.apple": "Safari, iPhone and iPad",
    "certificate.apple.steps": "On a Mac: open the file, add it to the login keychain, open it "
    "there, and under Trust choose “Always Trust”.\nOn a phone: open the file in Safari and allow "
    "the profile; install it under Settings → General → VPN & Device Management.\nThen switch it "
    "on under Settings → General → About → Certificate Trust Settings.",
    "certificate.apple.remove": "To remove it: on a Mac delete it from the keychain; on a phone "
    "remove the profile.",
    "certificate.android": "Android",
    "certificate.android.steps": "Download the certificate.\nOpen Settings → Security → Encryption "
    "& credentials → Install a certificate → CA certificate.\nConfirm the warning and choose the "
    "file. Chrome trusts it; Firefox asks for it in its own settings.",
    "certificate.android.remove": "To remove it: Settings → Security → Trusted credentials → User.",
    "certificate.proxy": "Setting the proxy",
    "certificate.proxy.words": "HTTP and HTTPS proxy: {proxy}. Or give your browser the address of "
    "the automatic configuration below.",
    "certificate.pac": "Automatic configuration (PAC)",
    "certificate.proxy.phone": "On a phone: in the settings of the Wi-Fi network, set the proxy to "
    "manual with the same host and port, or to automatic with the PAC address.",
    # refusals and troubles
    "refused.elsewhere": "This form was sent by another site than the harbor.",
    "refused.no-form": "This is not a form of the harbor.",
    "refused.unreadable": "This form cannot be read.",
    "refused.stale": "This form is out of date. Open the harbor again and repeat.",
    "unreachable": "The archive does not answer",
    "unreachable.words": "The archive does not answer: {reason}. Try again in a moment.",
    "no-url": "No such URL",
    "no-url.words": "“{text}” is not an http(s) URL. Write an address such as www.example.org.",
    "no-capture": "No such capture",
}

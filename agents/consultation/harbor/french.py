"""The harbor's texts in French; the same keys as `english`, and the same names in braces.

They are written with plain spaces; `_spaced` puts the unbreakable ones where French wants them.
"""

import re

_NARROW, _WIDE = "\u202f", "\u00a0"


def _spaced(text: str) -> str:
    """Return a text with French spaces: narrow before ; ! ? and %, wide before : and in « »."""
    text = re.sub(" ([;!?%])", rf"{_NARROW}\1", text)
    return re.sub("« | (?=[:»])", lambda found: found[0].replace(" ", _WIDE), text)


_WRITTEN: dict[str, str] = {
    "language": "Français",
    "number.thousands": _NARROW,
    "number.point": ",",
    "size": "{number} {unit}",
    "size.units": "octets ko Mo Go To Po",
    "months": "janvier février mars avril mai juin juillet août septembre octobre novembre "
    "décembre",
    "weekdays": "lundi mardi mercredi jeudi vendredi samedi dimanche",
    "day": "{day} {month} {year}",
    "day.first": "{day}er {month} {year}",
    "moment": "{day} à {time} UTC",
    "span.days.one": "{count} jour",
    "span.days.many": "{count} jours",
    "span.hours.one": "{count} heure",
    "span.hours.many": "{count} heures",
    "span.minutes.one": "{count} minute",
    "span.minutes.many": "{count} minutes",
    "span.seconds.one": "{count} seconde",
    "span.seconds.many": "{count} secondes",
    "gap.none": "au même moment",
    "gap.later": "{span} après",
    "gap.earlier": "{span} avant",
    # toutes les pages
    "harbor": "port dlweb",
    "skip": "Aller au contenu",
    "pages": "Pages",
    "page.home": "Accueil",
    "page.search": "Recherche",
    "page.streams": "Radio et télévision",
    "page.screen": "À votre écran",
    "page.missing": "Manques",
    "page.settings": "Réglages",
    "page.certificate": "Certificat",
    "page.monitoring": "Surveillance",
    "url": "URL",
    "date": "Date",
    "status": "Statut",
    "size.column": "Taille",
    "type": "Type",
    "unknown": "inconnu",
    "newest": "les captures les plus récentes",
    "you-read": "Vous lisez l’archive à la date du {date}.",
    "you-read.newest": "Vous lisez les captures les plus récentes de l’archive.",
    "you-read.live": "Vous lisez le Web vivant, et non l’archive.",
    "captures.one": "{count} capture",
    "captures.many": "{count} captures",
    "newer": "Plus récentes",
    "older": "Plus anciennes",
    "captures-of": "Captures d’une URL",
    "captures-of.button": "Lister ses captures",
    "captures-of.calendar": "Voir son calendrier",
    # choisir une date
    "date-form": "Votre date",
    "date-form.label": "Date et heure (UTC)",
    "date-form.button": "Lire à cette date",
    "date-form.newest": "Lire les plus récentes",
    "date-form.help": "Ce que vous en savez, à partir de l’année : 2026, 2026-11, "
    "2026-11-21 07:30. Chaque page est montrée dans sa capture la plus proche de votre date.",
    "date-form.proposed": "Cette adresse propose la date inscrite dans le champ. Appuyez sur le "
    "bouton pour lire à cette date.",
    "date.invalid": "« {text} » n’est pas une date. Écrivez une année (2026), un mois (2026-11), "
    "un jour (2026-11-21) ou une heure (2026-11-21 07:30), en UTC.",
    "date.unchanged": "La date reste inchangée",
    "date.set": "Votre date est fixée",
    "go-on": "Continuer vers {url}",
    # accueil
    "home": "Archive du Web",
    "home.browse": "Pour parcourir l’archive, réglez le mandataire (proxy) HTTP de votre "
    "navigateur sur {proxy}, puis ouvrez-y http://dlweb/. Sans lui, les liens vers les "
    "pages archivées mèneraient au Web vivant ; ces pages n’en ont donc pas.",
    "home.screen": "Dernière page à votre écran",
    "home.screen.spread": "Ce qui la compose",
    "home.certificate": "Les pages en https:// demandent le certificat de l’archive : voir comment "
    "lui faire confiance",
    "home.missing": "Manques récents",
    "home.all-missing": "Tout ce qui manque",
    # recherche
    "search": "Recherche d’URL",
    "search.label": "Adresse, ou début d’adresse",
    "search.help": "On peut omettre http:// et www. ; un champ vide donne la liste complète.",
    "search.button": "Rechercher",
    "search.all": "URL archivées",
    "search.found": "URL archivées pour « {text} »",
    "search.none": "L’archive ne contient aucune URL de ce genre.",
    "search.none.help": "Essayez un début plus court, l’hôte seul ou une autre graphie. Les mots "
    "des pages elles-mêmes ne sont pas cherchés.",
    "search.silent.one": "{count} nœud de stockage sur {nodes} ne répond pas ; les URL qu’il est "
    "seul à contenir ne figurent pas ici.",
    "search.silent.many": "{count} nœuds de stockage sur {nodes} ne répondent pas ; les URL qu’ils "
    "sont seuls à contenir ne figurent pas ici.",
    "search.further": "URL suivantes",
    # captures
    "captures": "Captures",
    "captures.none": "L’archive n’a aucune capture de cette URL à montrer.",
    "captures.none.help": "La page s’y trouve peut-être sous une autre adresse : cherchez l’hôte "
    "seul.",
    "captures.choose": "Appuyez sur une date pour la choisir et voir la page telle qu’elle était.",
    "captures.choose.beside": "Appuyez sur une date pour la choisir. Demandez ensuite l’URL par le "
    "mandataire {proxy}.",
    "captures.calendar": "Calendrier de cette URL",
    "captures.all": "Toutes ses captures",
    "captures.day": "Captures du {day}",
    "captures.compare": "Comparer les deux choisies",
    "captures.from": "De",
    "captures.to": "À",
    "captures.from.label": "Comparer la capture du {date}",
    "captures.to.label": "Comparer avec la capture du {date}",
    "captures.content": "Contenu",
    "captures.change": "Changement",
    "captures.you-read": "vous lisez celle-ci",
    "captures.pages": "Page {page} sur {pages}",
    "change.first": "première",
    "change.same": "identique",
    "change.changed": "modifiée",
    # calendrier
    "calendar": "Calendrier",
    "calendar.years": "Années",
    "calendar.help": "Chaque jour qui a des captures est un bouton qui en donne la liste. Le "
    "nombre inscrit dessous dit combien il y en a ; un fond plus foncé en signale davantage, et "
    "≠ que le contenu a changé.",
    "calendar.day": "{day} : {captures}",
    "calendar.day.changed": "{day} : {captures}, le contenu a changé",
    "calendar.month": "{month} {year}",
    # différence
    "difference": "Différence",
    "difference.old": "Plus ancienne",
    "difference.new": "Plus récente",
    "difference.modes": "Manières de comparer",
    "difference.text": "Texte",
    "difference.source": "Source",
    "difference.links": "Liens et en-têtes",
    "difference.frames": "Côte à côte",
    "difference.pictures": "Images",
    "difference.same-content": "Les deux captures ont le même contenu, octet pour octet.",
    "difference.same-text": "Les textes sont identiques, quoique les contenus diffèrent.",
    "difference.similar": "{percent} % du texte est identique.",
    "difference.added": "ajouté",
    "difference.removed": "supprimé",
    "difference.legend": "Le texte supprimé est barré et marqué − ; le texte ajouté est souligné "
    "et marqué +.",
    "difference.skipped.one": "{count} ligne identique",
    "difference.skipped.many": "{count} lignes identiques",
    "difference.cut": "La suite est trop longue pour être montrée ici.",
    "difference.too-large": "L’un des contenus dépasse {limit} ; on ne compare pas de contenus "
    "aussi grands.",
    "difference.too-slow": "Les deux contenus sont trop grands ou trop différents pour être "
    "comparés à temps. On peut lire leurs captures l’une après l’autre.",
    "difference.no-text": "Les contenus de ces types n’ont pas de texte à comparer ; voyez leurs "
    "liens, leur en-tête et leur taille.",
    "difference.head": "Champs d’en-tête",
    "difference.links-added": "Liens apparus",
    "difference.links-gone": "Liens disparus",
    "difference.none": "Aucun.",
    "difference.field": "Champ",
    "difference.pictures.help": "Sous les deux, ce qui diffère : noir là où elles sont identiques.",
    "difference.pictures.old": "L’image du {date}",
    "difference.pictures.new": "L’image du {date}",
    "difference.pictures.differs": "Ce qui diffère entre les deux images",
    "difference.frame": "La page du {date}",
    "difference.frames.help": "Sous les deux, ce qui diffère au début des pages : noir là où elles "
    "sont identiques.",
    "difference.frames.differs": "Ce qui diffère entre les deux pages",
    "difference.frames.none": "Les pages rendues sont montrées là où l’archive les sert sans "
    "mandataire. Lisez plutôt les deux captures par le mandataire, depuis la liste des captures.",
    "difference.others": "Comparer d’autres captures",
    "difference.not-both": "Choisissez deux captures d’une même URL.",
    # à l’écran
    "screen": "À votre écran",
    "screen.none": "Aucune page ne vous a encore été donnée. Ouvrez-en une par le mandataire, et "
    "voyez ici de quelles dates sont ses éléments.",
    "screen.page": "Page",
    "screen.within": "Les éléments de cette page ont été collectés en l’espace de {span}.",
    "screen.at-once": "Les éléments de cette page ont été collectés au même moment.",
    "screen.alone": "Cette page n’a pas encore d’éléments.",
    "screen.parts.one": "{count} élément",
    "screen.parts.many": "{count} éléments",
    "screen.missing.one": "Il manque {count} élément.",
    "screen.missing.many": "Il manque {count} éléments.",
    "screen.complete": "Il ne manque aucun élément.",
    "screen.date": "La page elle-même est du {date}.",
    "screen.timeline": "Dates des éléments, autour de celle de la page",
    "screen.part": "Élément",
    "screen.as": "Rôle",
    "screen.distance": "Écart à la page",
    "screen.missing.title": "Éléments manquants",
    "screen.former": "Pages précédentes",
    "screen.not-shown.one": "{count} autre ne figure pas dans la liste.",
    "screen.not-shown.many": "{count} autres ne figurent pas dans la liste.",
    # manques
    "missing": "Ce qui manque",
    "missing.words": "Ce que les lecteurs ont demandé et que l’archive n’a pu donner, le plus "
    "récent d’abord. Cela mérite peut-être d’être collecté.",
    "missing.none": "Rien n’a encore été demandé en vain.",
    "missing.none.here": "Rien de cette nature n’a été demandé en vain.",
    "missing.site": "Site",
    "missing.kind": "Nature",
    "missing.any": "toutes",
    "missing.show": "Afficher",
    "missing.filter": "Filtrer",
    "missing.times": "Demandes",
    "missing.last": "Dernière demande (UTC)",
    "missing.page": "Lié depuis {url}",
    "missing.state": "Collecte",
    "missing.fault": "Défaut",
    "missing.unknown-url": "absente de l’archive",
    "missing.missing-captures": "captures manquantes",
    "missing.missing-content": "contenu manquant",
    "missing.archive-unreachable": "archive sans réponse",
    "missing.kind-count": "{kind} : {count}",
    "missing.found": "collectée depuis",
    "missing.reported": "demandée",
    "missing.not-reported": "non demandée",
    # réglages
    "settings": "Réglages",
    "settings.language": "Langue",
    "settings.language.browser": "celle que préfère le navigateur",
    "settings.save": "Enregistrer",
    "settings.date": "Comment votre date est retenue",
    "settings.date.address": "Elle appartient à l’adresse de votre navigateur ; qui partage "
    "l’adresse partage la date.",
    "settings.date.cookie": "Elle appartient à ce navigateur, qui conserve un témoin (cookie) à "
    "cette fin.",
    "settings.date.name": "Elle appartient à votre nom, {name}, quelle que soit la machine.",
    "settings.live": "Le Web vivant",
    "settings.live.no": "L’exploitant de cette archive ne la laisse pas joindre le Web vivant : "
    "tout ce que vous demandez par le mandataire vient de l’archive.",
    "settings.live.read": "Vous pouvez lire le Web vivant par le mandataire de l’archive. Vos "
    "requêtes quittent alors l’archive, et les sites voient son adresse.",
    "settings.live.record": "Vous pouvez lire le Web vivant par le mandataire de l’archive. Ce qui "
    "passe est enregistré et entre dans l’archive : ne vous identifiez nulle part et ne saisissez "
    "rien de privé.",
    "settings.live.on": "Lire le Web vivant",
    "settings.live.off": "Lire l’archive",
    "settings.forget": "M’oublier",
    "settings.forget.words": "Votre date, votre langue et la liste de ce qui est à votre écran "
    "sont oubliées aussitôt.",
    "settings.forget.button": "Oublier tout ce que j’ai choisi",
    "settings.unchanged": "Les réglages restent inchangés",
    "settings.live.refused": "L’exploitant de cette archive ne la laisse pas joindre le Web "
    "vivant.",
    # certificat
    "certificate": "Le certificat de l’archive",
    "certificate.none": "Cette archive n’a pas d’autorité de certification : son mandataire "
    "n’accepte pas d’URL https://. Demandez avec http:// ; là où l’archive ne contient que la "
    "capture https://, elle la donne.",
    "certificate.why": "Une page en https:// ne peut être montrée telle qu’elle était que si votre "
    "navigateur prend l’archive pour son site. L’archive établit donc elle-même des certificats, "
    "signés par une autorité qui lui est propre. Il faut dire une fois à votre navigateur de lui "
    "faire confiance.",
    "certificate.meaning": "Ce que signifie cette confiance",
    "certificate.warning": "Quiconque détient la clé de cette autorité peut se faire passer pour "
    "n’importe quel site auprès d’un navigateur qui lui fait confiance. La clé ne quitte jamais la "
    "machine de cette archive. N’accordez pourtant cette confiance que dans un profil de "
    "navigateur qui ne sert qu’à l’archive, et retirez-la quand vous avez fini.",
    "certificate.name": "Nom",
    "certificate.fingerprint": "Empreinte (SHA-256)",
    "certificate.until": "Valable jusqu’au",
    "certificate.download": "Télécharger le certificat",
    "certificate.download.pem": "Le même pour les programmes (PEM)",
    "certificate.check": "Comparez l’empreinte que montre votre navigateur avec celle ci-dessus. "
    "Si elles diffèrent, ne lui faites pas confiance.",
    "certificate.firefox": "Firefox",
    "certificate.firefox.steps": "Téléchargez le certificat.\nOuvrez Paramètres → Vie privée et "
    "sécurité → Certificats → Afficher les certificats → Autorités → Importer.\nChoisissez le "
    "fichier, cochez « Confirmer cette AC pour identifier des sites web » et validez.",
    "certificate.firefox.remove": "Pour le retirer : dans la même liste, choisissez son nom et "
    "appuyez sur « Supprimer ou ne plus faire confiance ».",
    "certificate.chrome": "Chrome, Chromium, Edge",
    "certificate.chrome.steps": "Téléchargez le certificat.\nOuvrez chrome://certificate-manager → "
    "Certificats locaux → Installés par vous → Certificats de confiance → Importer (versions "
    "antérieures : Paramètres → Confidentialité et sécurité → Sécurité → Gérer les certificats → "
    "Autorités).\nChoisissez le fichier et confirmez qu’il peut identifier des sites Web.",
    "certificate.chrome.remove": "Pour le retirer : dans la même liste, le menu à côté de son nom, "
    "Supprimer.",
    "certificate.apple": "Safari, iPhone et iPad",
    "certificate.apple.steps": "Sur un Mac : ouvrez le fichier, ajoutez-le au trousseau de "
    "session, ouvrez-le là et choisissez « Toujours approuver » sous Se fier.\n"
    "Sur un téléphone : ouvrez le fichier dans Safari et autorisez le profil ; installez-le sous "
    "Réglages → Général → VPN et gestion de l’appareil.\nActivez-le ensuite sous Réglages → "
    "Général → Informations → Réglages des certificats.",
    "certificate.apple.remove": "Pour le retirer : sur un Mac, supprimez-le du trousseau ; sur un "
    "téléphone, supprimez le profil.",
    "certificate.android": "Android",
    "certificate.android.steps": "Téléchargez le certificat.\nOuvrez Paramètres → Sécurité → "
    "Chiffrement et identifiants → Installer un certificat → Certificat CA.\nConfirmez "
    "l’avertissement et choisissez le fichier. Chrome lui fait confiance ; Firefox le demande dans "
    "ses propres réglages.",
    "certificate.android.remove": "Pour le retirer : Paramètres → Sécurité → Certificats de "
    "confiance → Utilisateur.",
    "certificate.proxy": "Régler le mandataire",
    "certificate.proxy.words": "Mandataire HTTP et HTTPS : {proxy}. Ou bien donnez à votre "
    "navigateur l’adresse de la configuration automatique ci-dessous.",
    "certificate.pac": "Configuration automatique (PAC)",
    "certificate.proxy.phone": "Sur un téléphone : dans les réglages du réseau Wi-Fi, choisissez "
    "un proxy manuel avec les mêmes hôte et port, ou automatique avec l’adresse du fichier PAC.",
    # refus et ennuis
    "streams": "Radio et télévision",
    "streams.words": "Ce qui passait à l’antenne, tel que l’archive l’a reçu. Les heures sont UTC.",
    "streams.none": "Aucun flux n’a encore été archivé.",
    "streams.away": "Aucun flux n’est listé ici.",
    "streams.all": "Flux archivés",
    "streams.name": "Station",
    "streams.genre": "Genre",
    "streams.format": "Format",
    "streams.first": "Reçu du",
    "streams.last": "Reçu jusqu’au",
    "streams.further": "Autres flux",
    "streams.search": "Recherche de titres",
    "streams.search.label": "Mots des titres, noms et descriptions",
    "streams.search.button": "Chercher",
    "streams.found": "Trouvé pour « {text} »",
    "streams.found.none": "Rien de ce qui a été annoncé ne contient ces mots.",
    "streams.found.further": "Plus loin dans le passé",
    "streams.said": "Annonce",
    "streams.title": "titre",
    "streams.name.kind": "nom de la station",
    "streams.description": "description",
    "streams.genre.kind": "genre",
    "stream.unknown": "Flux inconnu",
    "stream.unknown.words": "L’archive ne possède aucun flux à cette adresse.",
    "stream.description": "Description",
    "stream.heard": "Reçu",
    "stream.span": "{first} – {last}",
    "stream.day": "Le {day}",
    "stream.day.before": "Jour précédent : {day}",
    "stream.day.after": "Jour suivant : {day}",
    "stream.day.label": "Jour (UTC)",
    "stream.time.label": "Heure (UTC)",
    "stream.day.button": "Écouter à partir de là",
    "stream.day.choose": "Choisir ce moment",
    "stream.picture": "Quand le flux a été reçu le {day} ; chaque partie se lit depuis son début",
    "stream.part": "{first} – {last} : reçu",
    "stream.silent": "Rien n’a été reçu ce jour-là.",
    "stream.titles": "À l’antenne",
    "stream.titles.none": "Rien n’a été annoncé ce jour-là de ce qui passait à l’antenne.",
    "stream.gaps": "Interruptions",
    "stream.gaps.none": "Aucune interruption entre le premier et le dernier son de ce jour.",
    "stream.gap.why": "Cause",
    "stream.gap.unknown": "non notée",
    "stream.title": "Titre",
    "stream.from": "De",
    "stream.to": "À",
    "stream.length": "Durée",
    "stream.playing": "Lecture à partir du {date}",
    "stream.through-proxy": "Cette chaîne se charge morceau par morceau depuis sa propre adresse, "
    "et se lit à votre date. Le bouton fixe votre date et y mène.",
    "stream.beside": "Cette chaîne se charge morceau par morceau depuis sa propre adresse : elle "
    "ne se lit que dans un navigateur qui utilise le proxy {proxy}.",
    "stream.watch": "Regarder à partir de là",
    "listen.nothing": "Rien à écouter",
    "listen.nothing.words": "L’archive ne possède rien de lisible de ce flux.",
    "refused.elsewhere": "Ce formulaire a été envoyé par un autre site que le port.",
    "refused.no-form": "Ceci n’est pas un formulaire du port.",
    "refused.unreadable": "Ce formulaire est illisible.",
    "refused.stale": "Ce formulaire est périmé. Rouvrez le port et recommencez.",
    "unreachable": "L’archive ne répond pas",
    "unreachable.words": "L’archive ne répond pas : {reason}. Réessayez dans un instant.",
    "no-url": "URL inexistante",
    "no-url.words": "« {text} » n’est pas une URL http(s). Écrivez une adresse telle que "
    "www.exemple.fr.",
    "no-capture": "Capture inexistante",
}
FRENCH = {key: _spaced(text) for key, text in _WRITTEN.items()}

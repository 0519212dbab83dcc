#include "widgets/panels/controls_panel.h"

#include <QAbstractButton>
#include <QEvent>
#include <QFontMetrics>
#include <QIcon>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QPainter>
#include <QPixmap>
#include <QScrollArea>
#include <QScrollBar>
#include <QStyle>
#include <QVBoxLayout>
#include <algorithm>
#include <array>
#include <functional>

#include "widgets/rows/hold_switch.h"
#include "widgets/rows/parameter_row.h"
#include "widgets/text.h"
#include "widgets/theme/theme.h"

namespace shardscope {
namespace {

constexpr std::array kGroups{Group::cluster,  Group::gpu,  Group::model,
                             Group::training, Group::plan, Group::assumptions};

QString shown(P id, const Answer& answer) { return QString::fromStdString(format(id, answer.settings[id])); }

QString preset_title(const Preset* preset) {
    return preset ? preset_text(preset->title) : ControlsPanel::tr("no preset");
}

// Returns the summary in the header of a group, which is visible even if the group is collapsed.
QString summary_of(Group group, const LiveModel& model) {
    const Scenario& scenario = model.scenario();
    const Answer& answer = model.answer();
    const QString dot = QStringLiteral(" · ");
    const QString modified = is_modified(scenario, group) ? ControlsPanel::tr(" (modified)") : QString();
    switch (group) {
        case Group::cluster: return preset_title(scenario.cluster) + modified;
        case Group::gpu: return preset_title(scenario.gpu_preset()) + modified;
        case Group::model: {
            QString out = preset_title(scenario.model) + modified;
            if (answer.valid()) {
                out += dot + QString::fromStdString(format(answer.compiled.parameters, Quantity::big_count));
            }
            return out;
        }
        case Group::training:
            return shown(P::optimizer, answer) + dot +
                   ControlsPanel::tr("%1 attention").arg(shown(P::attention, answer));
        case Group::plan: {
            QString out = shown(P::sharding, answer);
            constexpr std::array kDegrees{
                std::pair{P::tensor_parallel, "TP %1"}, std::pair{P::context_parallel, "CP %1"},
                std::pair{P::expert_parallel, "EP %1"}, std::pair{P::pipeline_parallel, "PP %1"}};
            for (const auto& [degree, words] : kDegrees) {
                if (answer.settings[degree] > 1)
                    out += dot + ControlsPanel::tr(words).arg(shown(degree, answer));
            }
            if (answer.settings[P::recompute] != 0) {
                out += dot + ControlsPanel::tr("recompute %1").arg(shown(P::recompute, answer));
            }
            return out;
        }
        case Group::assumptions: {
            const Preset* stack =
                model.catalogue().stack(answer.settings[P::software], answer.settings[P::software_version]);
            return (stack ? preset_title(stack) : shown(P::software, answer)) + modified;
        }
    }
    return {};
}

// A header with a triangle, a title and a muted summary at the right; a click or Space opens and closes its
// content. The header of a group contains its "More" header beside the title, where it needs no row.
class Disclosure : public QAbstractButton {
  public:
    Disclosure(const QString& title, bool heading, QWidget* parent)
        : QAbstractButton(parent), heading_(heading) {
        setText(title);
        setAccessibleName(title);
        setCheckable(true);
        setFocusPolicy(Qt::TabFocus);
        setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
        QObject::connect(&ThemeManager::instance(), &ThemeManager::changed, this,
                         qOverload<>(&QWidget::update));
    }
    void set_summary(const QString& summary) {
        if (summary == summary_) return;
        summary_ = summary;
        setAccessibleDescription(summary);
        update();
    }
    void set_side(Disclosure* side) {
        side_ = side;
        place_side();
    }
    // Draws the header as open during a search, which also shows matches in closed groups. The user's choice
    // of open or closed is kept.
    void set_forced_open(bool open) {
        forced_open_ = open;
        update();
    }
    [[nodiscard]] QSize sizeHint() const override {
        if (!heading_)
            return {text_left() + QFontMetrics(title_font()).horizontalAdvance(text()) + kGap / 2,
                    fontMetrics().height() + 6};
        return {120, std::max(28, fontMetrics().height() + 12)};
    }

  protected:
    void paintEvent(QPaintEvent*) override {
        const Theme& theme = current_theme();
        QPainter painter(this);
        painter.setLayoutDirection(layoutDirection());
        painter.setRenderHint(QPainter::Antialiasing);
        const QColor plain = underMouse() ? theme.text : theme.muted;
        paint_arrow(painter, QPointF(padding() + arrow() / 2.0, height() / 2.0), plain);

        QRect area = rect().adjusted(text_left(), 0, heading_ ? -kPadding : 0, 0);
        painter.setFont(title_font());
        painter.setPen(heading_ ? theme.text : plain);
        draw(painter, area, Qt::AlignLeft, text());
        if (!summary_.isEmpty()) {
            area.setLeft(side_left() + (side_ && !side_->isHidden() ? side_->width() + kGap : 0));
            painter.setFont(scaled_font(this->font(), kSmall));
            painter.setPen(theme.muted);
            draw(painter, area, Qt::AlignRight,
                 painter.fontMetrics().elidedText(summary_, Qt::ElideRight, std::max(0, area.width())));
        }
        if (hasFocus()) {
            painter.setPen(QPen(theme.accent, 2));
            painter.setBrush(Qt::NoBrush);
            const int in = heading_ ? 3 : 1;
            painter.drawRoundedRect(QRectF(rect()).adjusted(in, in, -in, -in), 3, 3);
        }
    }
    void resizeEvent(QResizeEvent* event) override {
        QAbstractButton::resizeEvent(event);
        place_side();
    }
    bool event(QEvent* event) override {
        if (event->type() == QEvent::Enter || event->type() == QEvent::Leave) update();
        return QAbstractButton::event(event);
    }

  private:
    static constexpr int kPadding = 12;
    static constexpr int kGap = 8;
    [[nodiscard]] int padding() const { return heading_ ? kPadding : kGap / 2; }
    [[nodiscard]] int arrow() const { return fontMetrics().height() * 3 / 5; }
    [[nodiscard]] int text_left() const { return padding() + arrow() + 4; }
    [[nodiscard]] QFont title_font() const { return scaled_font(font(), heading_ ? 1 : kSmall, heading_); }
    [[nodiscard]] int side_left() const {
        return text_left() + QFontMetrics(title_font()).horizontalAdvance(text()) + kGap;
    }
    void place_side() {
        if (!side_) return;
        const QSize size = side_->sizeHint();
        side_->setGeometry(QStyle::visualRect(
            layoutDirection(), rect(), QRect(QPoint(side_left(), (height() - size.height()) / 2), size)));
    }
    void draw(QPainter& painter, const QRect& area, Qt::Alignment side, const QString& words) const {
        painter.drawText(
            QStyle::visualRect(layoutDirection(), rect(), area),
            static_cast<int>(QStyle::visualAlignment(layoutDirection(), side) | Qt::AlignVCenter), words);
    }
    void paint_arrow(QPainter& painter, QPointF at, const QColor& colour) const {
        if (isRightToLeft()) at.setX(width() - at.x());
        const double size = fontMetrics().height() * 0.22;
        painter.save();
        painter.translate(at);
        if (!isChecked() && !forced_open_) painter.rotate(isRightToLeft() ? 90 : -90);
        painter.setPen(Qt::NoPen);
        painter.setBrush(colour);
        const std::array<QPointF, 3> points{QPointF(-size, -size / 2), QPointF(size, -size / 2),
                                            QPointF(0, size * 0.7)};
        painter.drawPolygon(points.data(), static_cast<int>(points.size()));
        painter.restore();
    }

    QString summary_;
    Disclosure* side_ = nullptr;
    bool heading_;
    bool forced_open_ = false;
};

QVBoxLayout* column(QWidget* widget) {
    auto* layout = new QVBoxLayout(widget);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    return layout;
}

// Moves these widgets to the top of the column, in this order.
void place(QLayout& column, const QWidgetList& wanted) {
    auto& rows = static_cast<QVBoxLayout&>(column);
    for (int i = 0; i < wanted.size(); ++i) {
        if (rows.itemAt(i)->widget() == wanted[i]) continue;
        rows.removeWidget(wanted[i]);
        rows.insertWidget(i, wanted[i]);
    }
}

QIcon magnifier(const Theme& theme, int size, qreal ratio) {
    QPixmap picture(QSize(size, size) * ratio);
    picture.setDevicePixelRatio(ratio);
    picture.fill(Qt::transparent);
    QPainter painter(&picture);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(theme.muted, size * 0.09, Qt::SolidLine, Qt::RoundCap));
    painter.drawEllipse(QRectF(size * 0.18, size * 0.18, size * 0.46, size * 0.46));
    painter.drawLine(QPointF(size * 0.58, size * 0.58), QPointF(size * 0.82, size * 0.82));
    painter.end();
    return picture;
}

}  // namespace

// A group of the parameter table: its header, its rows, and under "More" the rows that are rarely needed.
class ControlGroup : public QWidget {
  public:
    ControlGroup(Group group, LiveModel& model, QWidget* parent)
        : QWidget(parent), group_(group), model_(model) {
        const QString name = QStringLiteral("group/") + text_of(name_of(group));
        header_ = new Disclosure(text_of(title(group)), true, this);
        header_->setObjectName(name);
        body_ = new QWidget(this);
        more_ = new Disclosure(ControlsPanel::tr("More"), false, header_);
        header_->set_side(more_);
        more_->setObjectName(name + QStringLiteral("/more"));
        more_->setAccessibleName(ControlsPanel::tr("More of %1").arg(text_of(title(group))));
        more_->setAccessibleDescription(ControlsPanel::tr("Parameters that are rarely changed"));
        extra_ = new QWidget(body_);
        auto* rows = column(body_);
        auto* extra_rows = column(extra_);
        fill(*rows, *extra_rows);
        rows->addWidget(extra_);
        constexpr int kBelow = 6;
        rows->setContentsMargins(0, 0, 0, kBelow);
        auto* all = column(this);
        all->setContentsMargins(0, 1, 0, 0);  // for the line above
        all->addWidget(header_);
        all->addWidget(body_);
        header_->setChecked(group != Group::assumptions);
        QObject::connect(header_, &QAbstractButton::clicked, this, [this] { touched_ = true; });
        QObject::connect(header_, &QAbstractButton::toggled, this, [this] { apply(); });
        QObject::connect(more_, &QAbstractButton::toggled, this, [this] { apply(); });
        QObject::connect(&ThemeManager::instance(), &ThemeManager::changed, this,
                         qOverload<>(&QWidget::update));
        apply();
    }

    [[nodiscard]] Group group() const { return group_; }
    [[nodiscard]] bool is_open() const { return header_->isChecked(); }
    [[nodiscard]] bool is_touched() const { return touched_; }
    void set_open(bool open) { header_->setChecked(open); }

    ParameterRow* row(P id) const {
        const auto found = std::ranges::find(rows_, id, &ParameterRow::id);
        return found == rows_.end() ? nullptr : *found;
    }
    void reveal(P id) {
        touched_ = true;
        header_->setChecked(true);
        if (parameter(id).prominence == Prominence::advanced) more_->setChecked(true);
    }
    // Shows only the rows that match, the best first, also in closed parts. Without words, it restores the
    // order and what was open. Returns the best match.
    ParameterRow::Match filter(const QString& words) {
        searching_ = !words.isEmpty();
        auto best = ParameterRow::Match::none;
        std::vector<std::pair<ParameterRow::Match, ParameterRow*>> ranked;
        for (ParameterRow* row : rows_) {
            const auto match = searching_ ? row->match(words) : ParameterRow::Match::help;
            row->setVisible(match != ParameterRow::Match::none);
            best = std::max(best, match);
            ranked.emplace_back(match, row);
        }
        found_ = best != ParameterRow::Match::none;
        std::ranges::stable_sort(ranked, std::greater{}, &decltype(ranked)::value_type::first);
        order(ranked);
        if (hold_) {
            hold_->setVisible(hold_->matches(words));
            found_ = found_ || hold_->matches(words);
        }
        apply();
        return found_ ? std::max(best, ParameterRow::Match::help) : best;
    }
    void set_compact(bool compact) {
        for (ParameterRow* row : rows_) row->set_compact(compact);
        if (hold_) hold_->set_compact(compact);
    }
    // Returns the widgets that the Tab key reaches, from top to bottom.
    [[nodiscard]] QWidgetList stops() const {
        QWidgetList out{header_, more_};
        const auto add = [&out](const QWidget* row) {
            for (auto* part : row->findChildren<QWidget*>()) {
                // The list of a combo box is a separate window, so it is left out.
                if (part->focusPolicy() & Qt::TabFocus && part->window() == row->window()) out << part;
            }
        };
        const auto add_all = [&add](const QWidget* box, const QWidget* apart, auto&& instead) {
            for (int i = 0; i < box->layout()->count(); ++i) {
                const QWidget* row = box->layout()->itemAt(i)->widget();
                if (row == apart) instead();
                else add(row);
            }
        };
        add_all(body_, extra_, [&] { add_all(extra_, nullptr, [] {}); });
        return out;
    }
    void refresh() { header_->set_summary(summary_of(group_, model_)); }
    [[nodiscard]] int open_height() const { return body_->sizeHint().height(); }

  protected:
    void paintEvent(QPaintEvent*) override {
        QPainter(this).fillRect(QRect(0, 0, width(), 1), current_theme().line);
    }

  private:
    // Arranges the rows in this order. The rows under "More" come before the others if they contain the
    // better match. The Tab key follows the same order.
    void order(const std::vector<std::pair<ParameterRow::Match, ParameterRow*>>& ranked) {
        const auto best_of = [&](const QWidget* parent) {
            const auto found = std::ranges::find(
                ranked, parent, [](const auto& one) -> const QWidget* { return one.second->parentWidget(); });
            return found == ranked.end() ? ParameterRow::Match::none : found->first;
        };
        QWidgetList wanted;  // the new order in body_
        for (const auto& one : ranked) {
            if (one.second->parentWidget() != body_) continue;
            wanted << one.second;
            if (one.second->id() == P::gpus) wanted << hold_;
        }
        if (best_of(extra_) > best_of(body_)) wanted.prepend(extra_);
        else wanted.append(extra_);
        place(*body_->layout(), wanted);
        wanted.clear();
        for (const auto& one : ranked) {
            if (one.second->parentWidget() == extra_) wanted << one.second;
        }
        place(*extra_->layout(), wanted);
    }
    void fill(QVBoxLayout& rows, QVBoxLayout& extra_rows) {
        for (std::size_t i = 0; i < kParameters; ++i) {
            const P id = static_cast<P>(i);
            const Parameter& parameter = shardscope::parameter(id);
            if (parameter.group != group_ || parameter.prominence == Prominence::file) continue;
            const bool extra = parameter.prominence == Prominence::advanced;
            auto* row = new ParameterRow(id, model_, extra ? extra_ : body_);
            (extra ? extra_rows : rows).addWidget(row);
            rows_.push_back(row);
            if (id == P::gpus) {
                hold_ = new HoldSwitch(model_, body_);
                rows.addWidget(hold_);
            }
        }
        has_extra_ = extra_rows.count() > 0;
    }
    void apply() {
        setVisible(!searching_ || found_);
        header_->set_forced_open(searching_);
        body_->setVisible(searching_ || header_->isChecked());
        more_->setVisible(!searching_ && has_extra_ && header_->isChecked());
        extra_->setVisible(has_extra_ && (searching_ || more_->isChecked()));
    }

    Group group_;
    LiveModel& model_;
    Disclosure* header_ = nullptr;
    Disclosure* more_ = nullptr;
    QWidget* body_ = nullptr;
    QWidget* extra_ = nullptr;
    HoldSwitch* hold_ = nullptr;
    std::vector<ParameterRow*> rows_;
    bool has_extra_ = false;
    bool searching_ = false;
    bool found_ = true;
    bool touched_ = false;  // the user opened or closed it, so the window's height no longer does
};

ControlsPanel::ControlsPanel(LiveModel& model, QWidget* parent) : QWidget(parent), model_(model) {
    setObjectName(QStringLiteral("controls"));
    search_ = new QLineEdit(this);
    search_->setObjectName(QStringLiteral("controls/search"));
    search_->setPlaceholderText(tr("Find a parameter"));
    search_->setAccessibleName(tr("Find a parameter"));
    search_->setAccessibleDescription(tr("By its label, its key or words of its help"));
    search_->setClearButtonEnabled(true);
    search_->installEventFilter(this);
    auto* glass = search_->addAction(QIcon(), QLineEdit::LeadingPosition);
    const auto paint_glass = [this, glass] {
        glass->setIcon(magnifier(current_theme(), std::max(16, fontMetrics().height()), devicePixelRatioF()));
    };
    paint_glass();
    connect(&ThemeManager::instance(), &ThemeManager::changed, this, paint_glass);
    connect(search_, &QLineEdit::textChanged, this, &ControlsPanel::filter);

    auto* content = new QWidget;
    auto* groups = column(content);
    for (const Group group : kGroups) {
        auto* made = new ControlGroup(group, model_, content);
        groups_.push_back(made);
        groups->addWidget(made);
    }
    nothing_ = new QLabel(tr("No parameter matches."), content);
    nothing_->setMargin(12);
    nothing_->hide();
    groups->addWidget(nothing_);
    groups->addStretch(1);

    scroll_ = new QScrollArea(this);
    scroll_->setFrameShape(QFrame::NoFrame);
    scroll_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll_->setWidgetResizable(true);
    scroll_->setFocusPolicy(Qt::NoFocus);
    scroll_->verticalScrollBar()->setProperty("slim", true);  // beside the reset dots, not over them
    scroll_->setWidget(content);
    content->setAutoFillBackground(false);
    scroll_->viewport()->setAutoFillBackground(false);
    scroll_->viewport()->installEventFilter(this);

    auto* all = column(this);
    auto* top = new QVBoxLayout;
    top->setContentsMargins(12, 8, 12, 8);
    top->addWidget(search_);
    all->addLayout(top);
    all->addWidget(scroll_, 1);

    connect(&model_, &LiveModel::changed, this, &ControlsPanel::refresh_summaries);
    refresh_summaries();
    apply_width();
}

ParameterRow* ControlsPanel::row(P id) {
    for (ControlGroup* group : groups_) {
        ParameterRow* found = group->row(id);
        if (!found) continue;
        if (found->isHidden()) search_->clear();
        group->reveal(id);
        // The position of the row is known only after everything above it has its size.
        QWidget* content = scroll_->widget();
        content->layout()->activate();
        content->resize(content->width(),
                        std::max(content->sizeHint().height(), scroll_->viewport()->height()));
        scroll_->ensureWidgetVisible(found, 0, found->height());
        return found;
    }
    return nullptr;
}

void ControlsPanel::set_compact(bool compact) {
    if (compact == compact_) return;
    compact_ = compact;
    for (ControlGroup* group : groups_) group->set_compact(compact);
    apply_width();
}

void ControlsPanel::apply_width() {
    setFixedWidth(RowGeometry::of(font(), compact_).width);
    updateGeometry();
}

QSize ControlsPanel::sizeHint() const { return {RowGeometry::of(font(), compact_).width, 700}; }

void ControlsPanel::filter(const QString& words) {
    const QString wanted = words.trimmed();
    using Match = ParameterRow::Match;
    std::vector<std::pair<Match, ControlGroup*>> ranked;
    for (ControlGroup* group : groups_) ranked.emplace_back(group->filter(wanted), group);
    nothing_->setVisible(
        std::ranges::all_of(ranked, [](const auto& one) { return one.first == Match::none; }));
    // The group with the best match comes first; without words all groups keep their places.
    if (!wanted.isEmpty())
        std::ranges::stable_sort(ranked, std::greater{}, &decltype(ranked)::value_type::first);
    QWidgetList order;
    for (const auto& one : ranked) order << one.second;
    place(*scroll_->widget()->layout(), order);
    chain_rows();
    fit_to_window();
}

// Makes the Tab key follow the order of the rows on screen.
void ControlsPanel::chain_rows() {
    QWidget* last = search_;
    const auto* places = scroll_->widget()->layout();
    for (std::size_t i = 0; i < groups_.size(); ++i) {
        const auto* group = static_cast<ControlGroup*>(places->itemAt(static_cast<int>(i))->widget());
        for (QWidget* stop : group->stops()) {
            setTabOrder(last, stop);
            last = stop;
        }
    }
}

void ControlsPanel::refresh_summaries() {
    for (ControlGroup* group : groups_) group->refresh();
}

// Closes groups only when the window's height changes. A panel that opens below also reduces the height of
// this pane, but open groups may be in use, so they stay open and scroll.
void ControlsPanel::fit_to_window() {
    if (!search_->text().isEmpty()) return;  // a search shows all matches
    const int whole = window()->height();
    fold_to_fit(whole != fitted_for_);
    if (whole == fitted_for_) return;
    // Layout passes that this one requests still belong to the new height; they are queued before the inner
    // call.
    const auto fitted = [this, whole] { fitted_for_ = whole; };
    const auto laid_out = [this, fitted] { QMetaObject::invokeMethod(this, fitted, Qt::QueuedConnection); };
    QMetaObject::invokeMethod(this, laid_out, Qt::QueuedConnection);
}

// In a low window, closes the groups whose values usually come from presets, so that the pane needs no
// scrolling.
void ControlsPanel::fold_to_fit(bool may_close) {
    int needed = scroll_->widget()->sizeHint().height();
    const auto may_fold = [](const ControlGroup* group) {
        return !group->is_touched() && (group->group() == Group::gpu || group->group() == Group::model);
    };
    for (const ControlGroup* group : groups_) {
        if (may_fold(group) && !group->is_open()) needed += group->open_height();
    }
    for (ControlGroup* group : groups_) {
        if (!may_fold(group)) continue;
        const bool fold = needed > scroll_->viewport()->height();
        if (fold) needed -= group->open_height();
        if (!fold || may_close) group->set_open(!fold);
    }
}

void ControlsPanel::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::FontChange && scroll_) apply_width();
}

bool ControlsPanel::eventFilter(QObject* watched, QEvent* event) {
    if (!scroll_) return false;
    if (watched == search_ && event->type() == QEvent::KeyPress) {
        if (static_cast<QKeyEvent*>(event)->key() == Qt::Key_Escape && !search_->text().isEmpty()) {
            search_->clear();
            return true;
        }
    }
    if (watched == scroll_->viewport() && event->type() == QEvent::Resize) fit_to_window();
    return QWidget::eventFilter(watched, event);
}

}  // namespace shardscope

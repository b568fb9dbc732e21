// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {
    AccessControlDefaultAdminRulesUpgradeable
} from "@openzeppelin/contracts-upgradeable/access/extensions/AccessControlDefaultAdminRulesUpgradeable.sol";
import {PausableUpgradeable} from "@openzeppelin/contracts-upgradeable/utils/PausableUpgradeable.sol";
import {UUPSUpgradeable} from "@openzeppelin/contracts/proxy/utils/UUPSUpgradeable.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {AuthorizedTransfers} from "./AuthorizedTransfers.sol";
import {HolderSignature} from "./HolderSignature.sol";
import {IEMoneyToken, IssueRefusal, RedemptionRefusal} from "./IEMoneyToken.sol";
import {MintLimit, MintLimits} from "./MintLimits.sol";
import {PackedBatch} from "./PackedBatch.sol";
import {PaymentMessage} from "./PaymentMessage.sol";

/// @notice An account that issues and redeems from the beginning.
/// @param mintAllowance What it may mint over all days, in token units.
/// @param dailyMintLimit What it may mint in a day of UTC, in token units.
struct FirstOperator {
    address account;
    uint256 mintAllowance;
    uint256 dailyMintLimit;
}

/// @notice Everything a token needs to work.
/// @param currency Three upper-case letters, as payment messages name it.
/// @param admin Gets every role but the operator's.
/// @param timelock Gets the upgrader's and the allowance role in the admin's stead. Zero: the admin gets them.
/// @param adminDelay Seconds between the two steps in which the default admin is handed over.
/// @param signatureGas Gas that a contract account's signature check may spend in `redeem`.
/// @param operators Get the operator's role and their mint limits.
/// @param blockers Get the blocker's role.
struct TokenSetup {
    string name;
    string symbol;
    string currency;
    address admin;
    address timelock;
    uint48 adminDelay;
    uint32 signatureGas;
    FirstOperator[] operators;
    address[] blockers;
}

/// @title E-money of one currency on one network
/// @notice Operators mint what banks received and burn what holders send to banks, in batches. An operator's key can mint no more than its limits
/// and burn only what a holder signed, once.
contract EMoneyToken is IEMoneyToken, AuthorizedTransfers, AccessControlDefaultAdminRulesUpgradeable, PausableUpgradeable, UUPSUpgradeable {
    using MintLimits for MintLimit;
    using SafeERC20 for IERC20;

    /// @dev In minor units: what the items of a batch used up of the operator's limits, and how much of that was refused.
    struct IssueTally {
        uint256 used;
        uint256 refused;
    }

    /// @dev What was decided of a message, or of a redeem item with a false signature.
    enum Decision {
        None,
        /// Burnt, or refused for good.
        Final,
        CancelledByHolder
    }

    /// @custom:storage-location erc7201:mintrail.storage.EMoneyToken
    struct EMoneyTokenStorage {
        bytes3 currency;
        uint32 signatureGas;
        /// One bit for each sequence number, 256 to a word.
        mapping(uint256 index => uint256 word) sequences;
        /// By the message's hash; and, for items with a false signature, by the hash of the item.
        mapping(address account => mapping(bytes32 hash => Decision)) decisions;
        mapping(address operator => MintLimit) mintLimits;
    }

    // keccak256(abi.encode(uint256(keccak256("mintrail.storage.EMoneyToken")) - 1)) & ~bytes32(uint256(0xff))
    bytes32 private constant STORAGE = 0x4fd518f0c73cafe337b2fad2b4b50d0a2f88a8d007981d651734b73e9619b700;

    /// @dev A minor unit is a hundredth of the currency's unit, which is 10^18 token units.
    uint256 private constant TOKEN_UNITS_PER_MINOR_UNIT = 1e16;

    /// @dev How long after its own time a message can be redeemed.
    uint256 private constant MESSAGE_LIFETIME = 30 days;

    /// @dev A 2-of-3 Safe takes about 32,000 gas and each further owner about 6,200; a passkey that is verified in Solidity up to 330,000. The
    /// most is a sixteenth of the largest transaction (EIP-7825).
    uint256 private constant MIN_SIGNATURE_GAS = 50_000;
    uint256 private constant MAX_SIGNATURE_GAS = 1_000_000;

    /// @notice Issues within its limits, and redeems what holders signed.
    bytes32 public constant OPERATOR_ROLE = keccak256("OPERATOR_ROLE");
    /// @notice Sets what operators may mint. Its holders are chosen by the upgrader's role.
    bytes32 public constant ALLOWANCE_ROLE = keccak256("ALLOWANCE_ROLE");
    /// @notice Blocks accounts.
    bytes32 public constant BLOCKER_ROLE = keccak256("BLOCKER_ROLE");
    /// @notice Unblocks accounts.
    bytes32 public constant UNBLOCKER_ROLE = keccak256("UNBLOCKER_ROLE");
    /// @notice Stops all movements.
    bytes32 public constant PAUSER_ROLE = keccak256("PAUSER_ROLE");
    /// @notice Resumes them.
    bytes32 public constant UNPAUSER_ROLE = keccak256("UNPAUSER_ROLE");
    /// @notice Moves other contracts' tokens that were sent here by mistake.
    bytes32 public constant RESCUER_ROLE = keccak256("RESCUER_ROLE");
    /// @notice Replaces this code, and chooses who else may: where a timelock holds this role, the admin cannot pass it by.
    bytes32 public constant UPGRADER_ROLE = keccak256("UPGRADER_ROLE");

    /// @custom:oz-upgrades-unsafe-allow constructor
    constructor() {
        _disableInitializers();
    }

    /// @notice Sets the token up, complete: nobody but the admin administers it, whoever deploys it.
    function initialize(TokenSetup calldata setup) external initializer {
        __BlockableERC20_init(setup.name, setup.symbol);
        _setCurrency(setup.currency);
        _setSignatureGas(setup.signatureGas);
        _setAdmin(setup.admin, setup.adminDelay, setup.timelock);
        for (uint256 i = 0; i < setup.operators.length; ++i) {
            FirstOperator calldata operator = setup.operators[i];
            _grantRole(OPERATOR_ROLE, operator.account);
            _setMintLimit(operator.account, _toMinorUnits(operator.mintAllowance), _toMinorUnits(operator.dailyMintLimit));
        }
        for (uint256 i = 0; i < setup.blockers.length; ++i) {
            _grantRole(BLOCKER_ROLE, setup.blockers[i]);
        }
    }

    /// @inheritdoc IEMoneyToken
    /// @dev The operator's limits and the supply are written once per batch; nothing here calls out.
    function issue(bytes calldata batch) external onlyRole(OPERATOR_ROLE) whenNotPaused {
        IssueTally memory tally;
        for (uint256 position = 0; position < batch.length;) {
            (uint256 first, uint256 count, uint256 next) = PackedBatch.readRun(batch, position);
            position = _issueRun(batch, next, first, first + count, tally);
        }

        _useMintLimit(tally.used);
        _raiseSupply((tally.used - tally.refused) * TOKEN_UNITS_PER_MINOR_UNIT);
    }

    /// @inheritdoc IEMoneyToken
    /// @dev The supply is written once per batch: until then a contract account that is asked for its signature sees the old one.
    function redeem(bytes calldata batch) external onlyRole(OPERATOR_ROLE) whenNotPaused {
        uint256 burnt;
        for (uint256 position = 0; position < batch.length;) {
            (bytes calldata message, bytes calldata signature, uint256 next) = PackedBatch.readSigned(batch, position);
            burnt += _redeem(batch, position, message, signature);
            position = next;
        }
        _lowerSupply(burnt);
    }

    /// @inheritdoc IEMoneyToken
    function cancelMessage(bytes32 messageHash) external {
        mapping(bytes32 hash => Decision) storage decisions = _emoney().decisions[msg.sender];
        if (decisions[messageHash] != Decision.None) revert MessageAlreadyUsed(msg.sender, messageHash);
        decisions[messageHash] = Decision.CancelledByHolder;
        emit MessageCancelled(msg.sender, messageHash);
    }

    /// @inheritdoc IEMoneyToken
    function setMintAllowance(address operator, uint256 expected, uint256 allowance, uint256 dailyLimit) external onlyRole(ALLOWANCE_ROLE) {
        _checkRole(OPERATOR_ROLE, operator);
        uint256 current = mintAllowance(operator);
        if (current > expected) revert MintAllowanceRaised(operator, current);
        uint256 mintedSince = _toMinorUnits(expected - current);
        uint256 wanted = _toMinorUnits(allowance);
        _setMintLimit(operator, wanted < mintedSince ? 0 : wanted - mintedSince, _toMinorUnits(dailyLimit));
    }

    /// @inheritdoc IEMoneyToken
    function blockAccount(address account) external onlyRole(BLOCKER_ROLE) {
        _setBlocked(account, true);
    }

    /// @inheritdoc IEMoneyToken
    function unblockAccount(address account) external onlyRole(UNBLOCKER_ROLE) {
        _setBlocked(account, false);
    }

    /// @inheritdoc IEMoneyToken
    function pause() external onlyRole(PAUSER_ROLE) {
        _pause();
    }

    /// @inheritdoc IEMoneyToken
    function unpause() external onlyRole(UNPAUSER_ROLE) {
        _unpause();
    }

    /// @inheritdoc IEMoneyToken
    function rescue(address token, address to, uint256 amount) external onlyRole(RESCUER_ROLE) {
        IERC20(token).safeTransfer(to, amount);
    }

    /// @inheritdoc IEMoneyToken
    function currency() external view returns (string memory) {
        return string(abi.encodePacked(_emoney().currency));
    }

    /// @inheritdoc IEMoneyToken
    function mintAllowance(address operator) public view returns (uint256) {
        return _emoney().mintLimits[operator].allowance * TOKEN_UNITS_PER_MINOR_UNIT;
    }

    /// @inheritdoc IEMoneyToken
    function dailyMintLimit(address operator) external view returns (uint256) {
        return _emoney().mintLimits[operator].dailyLimit * TOKEN_UNITS_PER_MINOR_UNIT;
    }

    /// @inheritdoc IEMoneyToken
    function mintable(address operator) external view returns (uint256) {
        return _emoney().mintLimits[operator].available() * TOKEN_UNITS_PER_MINOR_UNIT;
    }

    /// @inheritdoc IEMoneyToken
    function sequenceUsed(uint64 sequence) external view returns (bool) {
        return _emoney().sequences[sequence >> 8] & (1 << (sequence & 0xff)) != 0;
    }

    /// @inheritdoc IEMoneyToken
    function messageUsed(address account, bytes32 messageHash) external view returns (bool) {
        return _emoney().decisions[account][messageHash] != Decision.None;
    }

    /// @inheritdoc IEMoneyToken
    function signatureGas() external view returns (uint256) {
        return _emoney().signatureGas;
    }

    /// @inheritdoc IEMoneyToken
    function isApproved(address account, bytes32 messageHash, bytes calldata signature) external view returns (bool) {
        return HolderSignature.isApprovedWithin(account, messageHash, signature, _emoney().signatureGas);
    }

    function _setCurrency(string calldata currency_) private {
        bytes3 letters = bytes3(bytes(currency_));
        if (bytes(currency_).length != 3 || !PaymentMessage.isCurrency(letters)) revert InvalidCurrency(currency_);
        _emoney().currency = letters;
    }

    function _setSignatureGas(uint32 gas_) private {
        if (gas_ < MIN_SIGNATURE_GAS || gas_ > MAX_SIGNATURE_GAS) revert InvalidSignatureGas(gas_);
        _emoney().signatureGas = gas_;
    }

    /// @dev Upgraders choose upgraders and who sets allowances. Otherwise the default admin could grant itself either role and so pass by a
    /// timelock that holds them.
    function _setAdmin(address admin, uint48 adminDelay, address timelock) private {
        __AccessControlDefaultAdminRules_init(adminDelay, admin);
        _setRoleAdmin(UPGRADER_ROLE, UPGRADER_ROLE);
        _setRoleAdmin(ALLOWANCE_ROLE, UPGRADER_ROLE);
        address upgrader = timelock == address(0) ? admin : timelock;
        _grantRole(UPGRADER_ROLE, upgrader);
        _grantRole(ALLOWANCE_ROLE, upgrader);
        _grantRole(BLOCKER_ROLE, admin);
        _grantRole(UNBLOCKER_ROLE, admin);
        _grantRole(PAUSER_ROLE, admin);
        _grantRole(UNPAUSER_ROLE, admin);
        _grantRole(RESCUER_ROLE, admin);
    }

    /// @dev Who takes over as default admin also takes over every other role of the old one, which keeps nothing.
    function _acceptDefaultAdminTransfer() internal override {
        address old = defaultAdmin();
        super._acceptDefaultAdminTransfer();
        address successor = defaultAdmin();
        if (successor == old) return;
        bytes32[8] memory roles = [
            OPERATOR_ROLE, ALLOWANCE_ROLE, BLOCKER_ROLE, UNBLOCKER_ROLE, PAUSER_ROLE, UNPAUSER_ROLE, RESCUER_ROLE, UPGRADER_ROLE
        ];
        for (uint256 i = 0; i < roles.length; ++i) {
            if (_revokeRole(roles[i], old)) _grantRole(roles[i], successor);
        }
    }

    /// @dev An operator's limits end with its role, so that a role granted anew begins at zero.
    function _revokeRole(bytes32 role, address account) internal override returns (bool revoked) {
        revoked = super._revokeRole(role, account);
        if (revoked && role == OPERATOR_ROLE) {
            delete _emoney().mintLimits[account];
            emit MintAllowanceSet(account, 0, 0);
        }
    }

    /// @dev In minor units. What was used today stays used.
    function _setMintLimit(address operator, uint256 allowance, uint256 dailyLimit) private {
        MintLimit storage limit = _emoney().mintLimits[operator];
        limit.allowance = uint80(allowance);
        limit.dailyLimit = uint80(dailyLimit);
        emit MintAllowanceSet(operator, allowance * TOKEN_UNITS_PER_MINOR_UNIT, dailyLimit * TOKEN_UNITS_PER_MINOR_UNIT);
    }

    function _toMinorUnits(uint256 tokenUnits) private pure returns (uint256 minorUnits) {
        minorUnits = tokenUnits / TOKEN_UNITS_PER_MINOR_UNIT;
        if (minorUnits * TOKEN_UNITS_PER_MINOR_UNIT != tokenUnits || minorUnits > type(uint80).max) revert InvalidMintLimit(tokenUnits);
    }

    /// @dev Issues the items from `position` on, with the sequence numbers from `sequence` to before `end`. Returns the position behind them. Each
    /// word of sequence numbers is read and written once.
    function _issueRun(bytes calldata batch, uint256 position, uint256 sequence, uint256 end, IssueTally memory tally)
        private
        returns (uint256)
    {
        unchecked {
            uint256 used;
            while (sequence < end) {
                uint256 index = sequence >> 8;
                uint256 word = _emoney().sequences[index];
                do {
                    uint256 bit = 1 << (sequence & 0xff);
                    if (word & bit == 0) {
                        uint256 minorUnits = _issue(batch, position, sequence, tally);
                        used += minorUnits;
                        if (minorUnits != 0) word |= bit;
                    }
                    position += PackedBatch.ITEM;
                    ++sequence;
                } while (sequence < end && sequence & 0xff != 0);
                _emoney().sequences[index] = word;
            }
            tally.used += used;
            return position;
        }
    }

    /// @dev Mints or refuses an item whose sequence number is unused. Returns its minor units; with zero the item is passed over. The caller checks
    /// the limits and raises the supply, which also bounds the balances: what exceeds a bound is undone with the batch.
    function _issue(bytes calldata batch, uint256 position, uint256 sequence, IssueTally memory tally) private returns (uint256 minorUnits) {
        bytes16 orderId;
        address account;
        (orderId, account, minorUnits) = PackedBatch.readItem(batch, position);
        if (minorUnits == 0) return 0;
        unchecked {
            uint256 amount = minorUnits * TOKEN_UNITS_PER_MINOR_UNIT;
            Account storage holder = _erc20().accounts[account];
            uint256 word = holder.word;
            if (word & BLOCKED != 0 || account == address(0) || account == address(this)) {
                tally.refused += minorUnits;
                IssueRefusal reason = word & BLOCKED != 0 ? IssueRefusal.BlockedAccount : IssueRefusal.InvalidAccount;
                emit IssueRefused(orderId, account, amount, uint64(sequence), reason);
                return minorUnits;
            }
            holder.word = (word + amount) | TOUCHED;
            emit Transfer(address(0), account, amount);
            emit Issued(orderId, account, amount, uint64(sequence));
        }
    }

    /// @dev Counts what a batch used against the caller's limits, in minor units.
    function _useMintLimit(uint256 used) private {
        MintLimit memory limit = _emoney().mintLimits[msg.sender];
        if (used > limit.allowance) revert MintAllowanceExceeded(msg.sender, limit.allowance * TOKEN_UNITS_PER_MINOR_UNIT);
        if (used > limit.available()) revert DailyMintLimitExceeded(msg.sender, limit.dailyLimit * TOKEN_UNITS_PER_MINOR_UNIT);
        limit.use(used);
        _emoney().mintLimits[msg.sender] = limit;
    }

    /// @dev Burns or refuses an item, and returns what it burnt. A contract account is asked by a static call, so it can change nothing meanwhile.
    function _redeem(bytes calldata batch, uint256 position, bytes calldata message, bytes calldata signature) private returns (uint256) {
        (bytes16 orderId, address account, uint256 amount) = PackedBatch.readItem(batch, position);
        amount *= TOKEN_UNITS_PER_MINOR_UNIT;
        bytes32 messageHash = PaymentMessage.hash(message);
        mapping(bytes32 hash => Decision) storage decisions = _emoney().decisions[account];
        Decision decision = decisions[messageHash];
        if (decision == Decision.Final) return 0;

        RedemptionRefusal refusal = _messageRefusal(message, amount);
        if (refusal == RedemptionRefusal.None && decision == Decision.CancelledByHolder) refusal = RedemptionRefusal.MessageCancelled;
        if (refusal == RedemptionRefusal.None) refusal = _signatureRefusal(orderId, account, messageHash, signature);
        if (refusal == RedemptionRefusal.None) {
            decisions[messageHash] = Decision.Final;
            refusal = _burn(account, amount);
        }
        if (refusal != RedemptionRefusal.None) {
            emit RedemptionRefused(orderId, account, amount, messageHash, refusal);
            return 0;
        }
        emit Transfer(account, address(0), amount);
        emit Redeemed(orderId, account, amount, messageHash);
        return amount;
    }

    /// @dev What is wrong with a message whoever sends it, now and later.
    function _messageRefusal(bytes calldata message, uint256 amount) private view returns (RedemptionRefusal) {
        (bool wellFormed, bytes3 letters, uint256 minorUnits, int256 time) = PaymentMessage.parse(message);
        if (!wellFormed) return RedemptionRefusal.MalformedMessage;
        if (letters != _emoney().currency) return RedemptionRefusal.WrongCurrency;
        if (minorUnits * TOKEN_UNITS_PER_MINOR_UNIT != amount || amount == 0) return RedemptionRefusal.WrongAmount;
        if (int256(block.timestamp) > time + int256(MESSAGE_LIFETIME)) return RedemptionRefusal.MessageExpired;
        return RedemptionRefusal.None;
    }

    /// @dev A key's signature is as false tomorrow as today. What a contract account says can change, so a refusal is remembered for this order id,
    /// message and signature: the order may have been given up since. It is not remembered for the message alone, which others could void. An account
    /// can cancel any hash, also that of an item: so only `Final` counts.
    function _signatureRefusal(bytes16 orderId, address account, bytes32 messageHash, bytes memory signature)
        private
        returns (RedemptionRefusal)
    {
        if (HolderSignature.isSignedByKey(account, messageHash, signature)) return RedemptionRefusal.None;
        mapping(bytes32 hash => Decision) storage decisions = _emoney().decisions[account];
        bytes32 itemHash = keccak256(abi.encode(orderId, messageHash, keccak256(signature)));
        if (decisions[itemHash] == Decision.Final) return RedemptionRefusal.InvalidSignature;
        if (HolderSignature.isApprovedWithin(account, messageHash, signature, _emoney().signatureGas)) return RedemptionRefusal.None;
        decisions[itemHash] = Decision.Final;
        return RedemptionRefusal.InvalidSignature;
    }

    /// @dev The caller lowers the supply.
    function _burn(address account, uint256 amount) private returns (RedemptionRefusal) {
        Account storage holder = _erc20().accounts[account];
        uint256 word = holder.word;
        if (word & BLOCKED != 0) return RedemptionRefusal.BlockedAccount;
        if (word & MAX_SUPPLY < amount) return RedemptionRefusal.InsufficientBalance;
        unchecked {
            holder.word = word - amount;
        }
        return RedemptionRefusal.None;
    }

    function _requireRunning() internal view override whenNotPaused {}

    function _authorizeUpgrade(address) internal view override onlyRole(UPGRADER_ROLE) {}

    /// @dev Assembly, because Solidity has no other way to say where a struct lies (ERC-7201).
    function _emoney() private pure returns (EMoneyTokenStorage storage $) {
        bytes32 slot = STORAGE;
        assembly ("memory-safe") {
            $.slot := slot
        }
    }
}

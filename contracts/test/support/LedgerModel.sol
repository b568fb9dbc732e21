// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {EMoneyToken} from "../../src/EMoneyToken.sol";
import {IEMoneyToken} from "../../src/IEMoneyToken.sol";
import {Batches, IssueItem, RedeemItem} from "./Batches.sol";
import {ApprovingWallet} from "./Wallets.sol";
import {MiniTest, Vm} from "./MiniTest.sol";
import {MessageHashUtils} from "@openzeppelin/contracts/utils/cryptography/MessageHashUtils.sol";

/// @dev Acts as operators, holders and administrators at random, and keeps its own record of events and of what holders signed.
contract LedgerModel is MiniTest {
    uint256 private constant HOLDERS = 5;
    uint256 public constant DAILY_LIMIT = 700_000e18;
    bytes32 private constant ISSUED = IEMoneyToken.Issued.selector;
    bytes32 private constant REFUSED = IEMoneyToken.IssueRefused.selector;
    bytes32 private constant REDEEMED = IEMoneyToken.Redeemed.selector;

    EMoneyToken private immutable token;
    address private immutable admin;
    address private immutable operator;

    /// Four accounts with keys, one with code.
    address[HOLDERS] public holders;
    ApprovingWallet private immutable wallet = new ApprovingWallet();

    uint256 public issued;
    uint256 public redeemed;
    uint256 public mintAllowance;
    mapping(uint64 sequence => uint256) private decisions;
    mapping(uint256 day => uint256) private usedToday;
    mapping(address holder => mapping(bytes32 hash => uint256)) public burns;
    mapping(address holder => mapping(bytes32 hash => uint256)) private signedAmount;
    mapping(address holder => mapping(bytes32 hash => bool)) private cancelled;
    mapping(address holder => uint256) public balanceWhenBlocked;

    /// The first broken expectation, for the invariant to report.
    string public breach;

    constructor(EMoneyToken token_, address admin_, address operator_, uint256 allowance) {
        token = token_;
        admin = admin_;
        operator = operator_;
        mintAllowance = allowance;
        for (uint256 i = 0; i < HOLDERS - 1; ++i) holders[i] = vm.addr(i + 1);
        holders[HOLDERS - 1] = address(wallet);
    }

    function issue(uint256 seed, uint8 count) external {
        IssueItem[] memory items = new IssueItem[](count % 6);
        for (uint256 i = 0; i < items.length; ++i) {
            uint256 random = next(seed, i);
            address account = random % 16 == 0 ? address(0) : random % 16 == 1 ? address(token) : holders[random % HOLDERS];
            uint256 amount = (random >> 16) % 8 == 0 ? 0 : (random >> 24) % 5_000_000 * 1e16;
            items[i] = IssueItem(uint64((random >> 128) % 600), bytes16(bytes32(random)), account, amount);
        }
        bytes memory batch = Batches.pack(items);
        vm.recordLogs();
        vm.prank(operator);
        try token.issue(batch) {
            readLogs(items);
        } catch (bytes memory reason) {
            bool expected = token.paused() || bytes4(reason) == IEMoneyToken.MintAllowanceExceeded.selector
                || bytes4(reason) == IEMoneyToken.DailyMintLimitExceeded.selector;
            if (!expected) breach = "issue reverted for an item";
        }
    }

    function readLogs(IssueItem[] memory items) private {
        Vm.Log[] memory logs = vm.getRecordedLogs();
        for (uint256 i = 0; i < logs.length; ++i) {
            bool minted = logs[i].topics[0] == ISSUED;
            if (!minted && logs[i].topics[0] != REFUSED) continue;
            (uint256 amount, uint64 sequence) = abi.decode(logs[i].data, (uint256, uint64));
            if (++decisions[sequence] > 1) breach = "a sequence number decided twice";
            if (minted) issued += amount;
            if (amount > mintAllowance) breach = "the mint allowance was exceeded";
            else mintAllowance -= amount;
            usedToday[block.timestamp / 1 days] += amount;
            if (usedToday[block.timestamp / 1 days] > DAILY_LIMIT) breach = "the limit of a day was exceeded";
            if (!contains(items, sequence, amount)) breach = "an issue that nobody asked for";
        }
    }

    function contains(IssueItem[] memory items, uint64 sequence, uint256 amount) private pure returns (bool) {
        for (uint256 i = 0; i < items.length; ++i) {
            if (items[i].sequence == sequence && items[i].amount == amount) return true;
        }
        return false;
    }

    function redeem(uint256 seed, uint8 count) external {
        RedeemItem[] memory items = new RedeemItem[](count % 6);
        for (uint256 i = 0; i < items.length; ++i) items[i] = redeemItem(next(seed, i));
        bytes memory batch = Batches.pack(items);
        vm.recordLogs();
        vm.prank(operator);
        try token.redeem(batch) {
            Vm.Log[] memory logs = vm.getRecordedLogs();
            for (uint256 i = 0; i < logs.length; ++i) {
                if (logs[i].topics[0] == REDEEMED) readRedeemed(logs[i]);
            }
        } catch {
            if (!token.paused()) breach = "redeem reverted for an item";
        }
    }

    function readRedeemed(Vm.Log memory log) private {
        (uint256 amount, bytes32 hash) = abi.decode(log.data, (uint256, bytes32));
        address holder = address(uint160(uint256(log.topics[2])));
        if (++burns[holder][hash] > 1) breach = "a message burnt twice";
        if (cancelled[holder][hash]) breach = "a cancelled message burnt";
        if (amount == 0 || signedAmount[holder][hash] != amount) breach = "a burn that its holder did not sign";
        redeemed += amount;
    }

    /// @dev Mostly valid; there are few distinct messages, so that many are repeated.
    function redeemItem(uint256 random) private returns (RedeemItem memory item) {
        uint256 index = random % HOLDERS;
        uint256 units = 1 + (random >> 16) % 40 * 25;
        string memory text = string.concat((random >> 32) % 12 == 0 ? "Send USD " : "Send EUR ", vm.toString(units), (random >> 40) % 12 == 0 ? " for x" : " to x", " at 2026-11-20T17:03Z");
        bytes32 hash = MessageHashUtils.toEthSignedMessageHash(bytes(text));
        item = RedeemItem(bytes16(bytes32(random)), holders[index], units * 1e18, text, "");
        if ((random >> 48) % 12 == 0) item.amount += 1e16;

        bool signs = (random >> 56) % 4 != 0;
        if (signs && (random >> 32) % 12 != 0 && (random >> 40) % 12 != 0) signedAmount[holders[index]][hash] = units * 1e18;
        if (index == HOLDERS - 1) {
            if (signs) wallet.approve(hash);
            return item;
        }
        // A holder who does not sign is signed for by another account.
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(signs ? index + 1 : 99, hash);
        item.signature = abi.encodePacked(r, s, v);
    }

    function cancelMessage(uint256 holder, uint256 units) external {
        address account = holders[holder % HOLDERS];
        bytes memory text = bytes(string.concat("Send EUR ", vm.toString(1 + units % 40 * 25), " to x at 2026-11-20T17:03Z"));
        bytes32 hash = MessageHashUtils.toEthSignedMessageHash(text);
        bool used = token.messageUsed(account, hash);
        vm.prank(account);
        try token.cancelMessage(hash) {
            if (used) breach = "a message was cancelled that was decided";
            cancelled[account][hash] = true;
        } catch {
            if (!used) breach = "a message could not be cancelled";
        }
    }

    function wait(uint256 seconds_) external {
        vm.warp(block.timestamp + seconds_ % 1 days);
    }

    function transfer(uint256 from, uint256 to, uint256 amount) external {
        from = from % HOLDERS;
        to = to % HOLDERS;
        amount = amount % (token.balanceOf(holders[from]) + 1);
        vm.prank(holders[from]);
        try token.transfer(holders[to], amount) {
            if (token.blocked(holders[from]) || token.blocked(holders[to]) || token.paused()) breach = "a transfer that had to fail";
        } catch {
            if (!token.blocked(holders[from]) && !token.blocked(holders[to]) && !token.paused()) breach = "a transfer that had to succeed";
        }
    }

    function transferFrom(uint256 from, uint256 spender, uint256 amount) external {
        from = from % HOLDERS;
        spender = spender % HOLDERS;
        amount = amount % (token.balanceOf(holders[from]) + 1);
        vm.prank(holders[from]);
        try token.approve(holders[spender], amount) {} catch {}
        vm.prank(holders[spender]);
        try token.transferFrom(holders[from], holders[spender], amount) {} catch {}
    }

    function setBlocked(uint256 seed, bool value) external {
        address account = holders[seed % HOLDERS];
        bool before = token.blocked(account);
        vm.prank(admin);
        if (value) token.blockAccount(account);
        else token.unblockAccount(account);
        if (value && !before) balanceWhenBlocked[account] = token.balanceOf(account);
    }

    /// @dev Sometimes with an old reading, as if the operator had minted since.
    function setMintAllowance(uint256 amount, uint256 mintedSince) external {
        amount = amount % 20_000_000 * 1e16;
        mintedSince = mintedSince % 4 != 0 ? 0 : (mintedSince >> 8) % 5_000_000 * 1e16;
        vm.prank(admin);
        token.setMintAllowance(operator, mintAllowance + mintedSince, amount, DAILY_LIMIT);
        mintAllowance = amount < mintedSince ? 0 : amount - mintedSince;
    }

    function pauseForAMoment(uint256 seed) external {
        vm.prank(admin);
        token.pause();
        this.issue(seed, 3);
        this.redeem(seed, 3);
        this.transfer(seed, seed >> 8, seed >> 16);
        vm.prank(admin);
        token.unpause();
    }

    function next(uint256 seed, uint256 i) private pure returns (uint256) {
        return uint256(keccak256(abi.encode(seed, i)));
    }
}

// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IAccessControl} from "@openzeppelin/contracts/access/IAccessControl.sol";
import {
    IAccessControlDefaultAdminRules
} from "@openzeppelin/contracts/access/extensions/IAccessControlDefaultAdminRules.sol";
import {ERC1967Proxy} from "@openzeppelin/contracts/proxy/ERC1967/ERC1967Proxy.sol";
import {Initializable} from "@openzeppelin/contracts/proxy/utils/Initializable.sol";
import {EMoneyToken, FirstOperator, TokenSetup} from "../src/EMoneyToken.sol";
import {IEMoneyToken, IssueItem, RedeemItem} from "../src/IEMoneyToken.sol";
import {TokenTest} from "./support/TokenTest.sol";

contract EMoneyTokenV2 is EMoneyToken {
    function version() external pure returns (uint256) {
        return 2;
    }
}

contract AdministrationTest is TokenTest {
    address private constant STRANGER = address(0x5);

    function expectDenied(address account, bytes32 role) private {
        vm.expectRevert(abi.encodeWithSelector(IAccessControl.AccessControlUnauthorizedAccount.selector, account, role));
        vm.prank(account);
    }

    /// @dev Every guarded function, called by `account`, must require its own role.
    function deniedEverything(address account, bytes32 except) private {
        address implementation = address(new EMoneyTokenV2());
        bytes[8] memory calls = [
            abi.encodeCall(token.issue, (new IssueItem[](0))),
            abi.encodeCall(token.redeem, (new RedeemItem[](0))),
            abi.encodeCall(token.setMintAllowance, (account, 1)),
            abi.encodeCall(token.blockAccount, (alice)),
            abi.encodeCall(token.unblockAccount, (alice)),
            abi.encodeCall(token.pause, ()),
            abi.encodeCall(token.unpause, ()),
            abi.encodeCall(token.upgradeToAndCall, (implementation, ""))
        ];
        bytes32[8] memory roles = [
            token.OPERATOR_ROLE(), token.OPERATOR_ROLE(), token.ALLOWANCE_ROLE(), token.BLOCKER_ROLE(), token.UNBLOCKER_ROLE(), token.PAUSER_ROLE(),
            token.UNPAUSER_ROLE(), token.UPGRADER_ROLE()
        ];
        for (uint256 i = 0; i < calls.length; ++i) {
            if (roles[i] == except) continue;
            vm.prank(account);
            (bool success, bytes memory answer) = address(token).call(calls[i]);
            vm.assertFalse(success);
            vm.assertEq(
                keccak256(answer), keccak256(abi.encodeWithSelector(IAccessControl.AccessControlUnauthorizedAccount.selector, account, roles[i]))
            );
        }
    }

    function deployReady() private returns (EMoneyToken) {
        FirstOperator[] memory operators = new FirstOperator[](2);
        operators[0] = FirstOperator(operator, 500e18);
        operators[1] = FirstOperator(bob, 0);
        address[] memory blockers = new address[](1);
        blockers[0] = STRANGER;
        TokenSetup memory setup = TokenSetup("Mintrail Euro", "EURe", "EUR", admin, ADMIN_DELAY, operators, blockers);
        bytes memory data = abi.encodeCall(EMoneyToken.initialize, (setup));
        return EMoneyToken(address(new ERC1967Proxy(address(new EMoneyToken()), data)));
    }

    function test_aTokenCanBeReadyFromItsFirstBlockOn() public {
        token = deployReady();
        vm.assertEq(token.mintAllowance(operator), 500e18);
        give(alice, 500e18);
        vm.assertEq(token.balanceOf(alice), 500e18);
        vm.assertTrue(token.hasRole(token.OPERATOR_ROLE(), bob));
        vm.prank(STRANGER);
        token.blockAccount(alice);
        vm.assertTrue(token.blocked(alice));
    }

    function test_whoDeploysAReadyTokenHoldsNoRole() public {
        token = deployReady();
        vm.assertEq(token.defaultAdmin(), admin);
        vm.assertFalse(token.hasRole(token.OPERATOR_ROLE(), admin));
        deniedEverything(address(this), 0);
        bytes32 role = token.OPERATOR_ROLE();
        expectDenied(address(this), token.DEFAULT_ADMIN_ROLE());
        token.grantRole(role, address(this));
    }

    function test_aReadyTokenCannotBeInitializedAgain() public {
        token = deployReady();
        vm.expectRevert(Initializable.InvalidInitialization.selector);
        token.initialize(setupOf("EUR", STRANGER));
    }

    function test_aStrangerMayNothing() public {
        deniedEverything(STRANGER, 0);
    }

    function test_eachRoleMayOnlyItsOwn() public {
        bytes32[7] memory roles = [
            token.OPERATOR_ROLE(), token.ALLOWANCE_ROLE(), token.BLOCKER_ROLE(), token.UNBLOCKER_ROLE(), token.PAUSER_ROLE(), token.UNPAUSER_ROLE(),
            token.UPGRADER_ROLE()
        ];
        for (uint256 i = 0; i < roles.length; ++i) {
            address account = address(uint160(0x1000 + i));
            vm.prank(admin);
            token.grantRole(roles[i], account);
            deniedEverything(account, roles[i]);
        }
    }

    function test_theAdminDoesNotOperate() public {
        expectDenied(admin, token.OPERATOR_ROLE());
        token.issue(new IssueItem[](0));
    }

    function test_theOperatorCannotRaiseItsAllowance() public {
        deniedEverything(operator, token.OPERATOR_ROLE());
    }

    function test_settingAnAllowanceReplacesIt() public {
        give(alice, 1e18);
        vm.expectEmit(true, true, true, true, address(token));
        emit IEMoneyToken.MintAllowanceSet(operator, 5);
        vm.prank(admin);
        token.setMintAllowance(operator, 5);
        vm.assertEq(token.mintAllowance(operator), 5);
    }

    function test_theDefaultAdminIsHandedOnInTwoStepsAfterADelay() public {
        vm.warp(1_000_000);
        vm.prank(admin);
        token.beginDefaultAdminTransfer(bob);
        vm.assertEq(token.defaultAdmin(), admin);

        vm.expectRevert(abi.encodeWithSelector(IAccessControlDefaultAdminRules.AccessControlEnforcedDefaultAdminDelay.selector, 1_000_000 + ADMIN_DELAY));
        vm.prank(bob);
        token.acceptDefaultAdminTransfer();

        vm.warp(1_000_001 + uint256(ADMIN_DELAY));
        vm.expectRevert(abi.encodeWithSelector(IAccessControlDefaultAdminRules.AccessControlInvalidDefaultAdmin.selector, STRANGER));
        vm.prank(STRANGER);
        token.acceptDefaultAdminTransfer();
        vm.prank(bob);
        token.acceptDefaultAdminTransfer();
        vm.assertEq(token.defaultAdmin(), bob);
        vm.assertFalse(token.hasRole(bytes32(0), admin));
    }

    function test_theDefaultAdminIsNotGrantedDirectly() public {
        vm.expectRevert(abi.encodeWithSelector(IAccessControlDefaultAdminRules.AccessControlEnforcedDefaultAdminRules.selector));
        vm.prank(admin);
        token.grantRole(bytes32(0), bob);
    }

    function test_isSetUpOnce() public {
        vm.expectRevert(Initializable.InvalidInitialization.selector);
        token.initialize(setupOf("EUR", bob));
        EMoneyToken implementation = new EMoneyToken();
        vm.expectRevert(Initializable.InvalidInitialization.selector);
        implementation.initialize(setupOf("EUR", bob));
    }

    function test_aCurrencyIsThreeUpperCaseLetters() public {
        string[6] memory wrong = ["", "EU", "EURO", "eur", "E1R", unicode"€"];
        EMoneyToken implementation = new EMoneyToken();
        for (uint256 i = 0; i < wrong.length; ++i) {
            bytes memory data = abi.encodeCall(EMoneyToken.initialize, (setupOf(wrong[i], admin)));
            vm.expectRevert(abi.encodeWithSelector(IEMoneyToken.InvalidCurrency.selector, wrong[i]));
            new ERC1967Proxy(address(implementation), data);
        }
    }

    function test_anUpgradeKeepsEverything() public {
        give(alice, 100e18);
        give(bob, 1e18);
        redeem(signedItem(ALICE_KEY, 10e18, "Send EUR 10 to x"));
        vm.prank(alice);
        token.approve(bob, 7);
        vm.prank(admin);
        token.blockAccount(bob);
        vm.prank(admin);
        token.pause();

        address implementation = address(new EMoneyTokenV2());
        vm.prank(admin);
        token.upgradeToAndCall(implementation, "");

        vm.assertEq(EMoneyTokenV2(address(token)).version(), 2);
        vm.assertEq(token.name(), "Mintrail Euro");
        vm.assertEq(token.symbol(), "EURe");
        vm.assertEq(token.currency(), "EUR");
        vm.assertEq(token.balanceOf(alice), 90e18);
        vm.assertEq(token.balanceOf(bob), 1e18);
        vm.assertTrue(token.blocked(bob));
        vm.assertTrue(token.paused());
        vm.assertEq(token.totalSupply(), 91e18);
        vm.assertEq(token.allowance(alice, bob), 7);
        vm.assertEq(token.mintAllowance(operator), 1_000_000e18 - 101e18);
        vm.assertTrue(token.sequenceUsed(0) && token.sequenceUsed(1));
        vm.assertFalse(token.sequenceUsed(2));
        vm.assertTrue(token.messageUsed(alice, hashOf("Send EUR 10 to x")));
        vm.assertEq(token.defaultAdmin(), admin);
        vm.assertTrue(token.hasRole(token.OPERATOR_ROLE(), operator));
    }

    function slot(bytes32 key, uint256 position) private pure returns (bytes32) {
        return keccak256(abi.encode(key, position));
    }

    function read(bytes32 position) private view returns (uint256) {
        return uint256(vm.load(address(token), position));
    }

    /// @dev The storage layout of deployed tokens. If this fails, an upgrade would misread their storage: only append to the structs.
    function test_storageLiesWhereDeployedTokensHaveIt() public {
        uint256 erc20 = uint256(keccak256(abi.encode(uint256(keccak256("mintrail.storage.BlockableERC20")) - 1)) & ~bytes32(uint256(0xff)));
        uint256 emoney = uint256(keccak256(abi.encode(uint256(keccak256("mintrail.storage.EMoneyToken")) - 1)) & ~bytes32(uint256(0xff)));
        vm.assertEq(erc20, 0x1dda33fdcd7a222cda16292c75c34b3ca4d0536784e396efcf68636bb639be00);
        vm.assertEq(emoney, 0x4fd518f0c73cafe337b2fad2b4b50d0a2f88a8d007981d651734b73e9619b700);

        issue(issueItem(515, alice, 12e18));
        redeem(signedItem(ALICE_KEY, 2e18, "Send EUR 2 to x"));
        vm.prank(alice);
        token.approve(bob, 7);
        vm.prank(admin);
        token.blockAccount(alice);

        bytes32 aliceKey = bytes32(uint256(uint160(alice)));
        bytes32 bobKey = bytes32(uint256(uint160(bob)));
        bytes32 operatorKey = bytes32(uint256(uint160(operator)));
        vm.assertEq(read(slot(aliceKey, erc20)), (1 << 255) + 10e18);
        vm.assertEq(read(slot(bobKey, uint256(slot(aliceKey, erc20 + 1)))), 7);
        vm.assertEq(read(bytes32(erc20 + 2)), 10e18);
        vm.assertEq(read(bytes32(erc20 + 3)), uint256(bytes32("Mintrail Euro")) + 13 * 2);
        vm.assertEq(read(bytes32(erc20 + 4)), uint256(bytes32("EURe")) + 4 * 2);
        vm.assertEq(read(bytes32(emoney)), uint256(uint24(bytes3("EUR"))));
        vm.assertEq(read(slot(bytes32(uint256(2)), emoney + 1)), 1 << 3);
        vm.assertEq(read(slot(hashOf("Send EUR 2 to x"), uint256(slot(aliceKey, emoney + 2)))), 1);
        vm.assertEq(read(slot(operatorKey, emoney + 3)), 1_000_000e18 - 12e18);
    }
}
